import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe, IdParam, type ListAnswer, ListQuery, mapList } from '@crm/http';
import { Controller, Delete, Get, HttpCode, Query } from '@nestjs/common';
import { API_KEY_GROUP } from '../../api-groups.js';
import { ApiKeyView, apiKeyView } from '../key-issue/api-key.dto.js';
import { UserKeyService } from './user-key.service.js';

@ApiGroup(API_KEY_GROUP)
@Controller('api/tenant/users/:id/api-keys')
export class UserKeyController {
  constructor(private readonly keys: UserKeyService) {}

  @Get()
  @Access({ right: 'administer' })
  @Describe({
    summary: 'Lists the API keys of a user',
    description: 'With when and where each was used last. Not for users with a role above your own.',
    answers: [{ status: 200, description: 'The keys, newest first', body: () => ApiKeyView, list: true }],
    errors: ['ROLE_NOT_GRANTABLE'],
  })
  async list(
    @CurrentPrincipal() principal: Principal,
    @IdParam() userId: string,
    @Query() query: ListQuery,
  ): Promise<ListAnswer<ApiKeyView>> {
    return mapList(await this.keys.list(principal, userId, query), apiKeyView);
  }

  @Delete()
  @HttpCode(204)
  @Access({ right: 'administer' })
  @Describe({
    summary: 'Ends every API key of a user',
    description:
      'They are refused within a second. Needs a proof of your password or second factor in the last ten minutes.',
    answers: [{ status: 204, description: 'The keys have ended' }],
    errors: ['ROLE_NOT_GRANTABLE', 'STEP_UP_REQUIRED'],
  })
  async endAll(@CurrentPrincipal() principal: Principal, @IdParam() userId: string): Promise<void> {
    await this.keys.endAll(principal, userId);
  }

  @Delete(':keyId')
  @HttpCode(204)
  @Access({ right: 'administer' })
  @Describe({
    summary: 'Ends one API key of a user',
    description:
      'It is refused within a second. Needs a proof of your password or second factor in the last ten minutes.',
    answers: [{ status: 204, description: 'The key has ended' }],
    errors: ['ROLE_NOT_GRANTABLE', 'STEP_UP_REQUIRED'],
  })
  async end(
    @CurrentPrincipal() principal: Principal,
    @IdParam() userId: string,
    @IdParam('keyId') keyId: string,
  ): Promise<void> {
    await this.keys.end(principal, userId, keyId);
  }
}
