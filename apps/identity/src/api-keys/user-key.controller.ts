import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe, IdParam, type ListAnswer, ListQuery, mapList } from '@crm/http';
import { Controller, Delete, Get, Query } from '@nestjs/common';
import { API_KEY_GROUP } from '../api-groups.js';
import { ApiKeyView, apiKeyView } from './api-key.dto.js';
import { ApiKeyService } from './api-key.service.js';

@ApiGroup(API_KEY_GROUP)
@Controller('api/tenant/users/:id/api-keys')
@Access({ right: 'administer', proof: false })
export class UserKeyController {
  constructor(private readonly keys: ApiKeyService) {}

  @Get()
  @Describe({
    summary: 'List the API keys of a user',
    description: 'Includes when and where each key was last used. Not for users with a role higher than your own.',
    answers: [{ status: 200, description: 'The keys, newest first', body: () => ApiKeyView, list: true }],
    errors: ['ROLE_NOT_GRANTABLE'],
  })
  async list(
    @CurrentPrincipal() principal: Principal,
    @IdParam() userId: string,
    @Query() query: ListQuery,
  ): Promise<ListAnswer<ApiKeyView>> {
    return mapList(await this.keys.listOfUser(principal, userId, query), apiKeyView);
  }

  @Delete()
  @Access({ right: 'administer', proof: true })
  @Describe({
    summary: 'Revoke all API keys of a user',
    description: 'They stop working within a second.',
    answers: [{ status: 204, description: 'The keys are revoked' }],
    errors: ['ROLE_NOT_GRANTABLE'],
  })
  async endAll(@CurrentPrincipal() principal: Principal, @IdParam() userId: string): Promise<void> {
    await this.keys.endAllOfUser(principal, userId);
  }

  @Delete(':keyId')
  @Access({ right: 'administer', proof: true })
  @Describe({
    summary: 'Revoke an API key of a user',
    description: 'It stops working within a second.',
    answers: [{ status: 204, description: 'The key is revoked' }],
    errors: ['ROLE_NOT_GRANTABLE'],
  })
  async end(
    @CurrentPrincipal() principal: Principal,
    @IdParam() userId: string,
    @IdParam('keyId') keyId: string,
  ): Promise<void> {
    await this.keys.endOfUser(principal, userId, keyId);
  }
}
