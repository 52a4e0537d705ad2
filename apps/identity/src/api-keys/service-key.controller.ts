import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe, IdParam, type ListAnswer, ListQuery, mapList, NotRepeatable } from '@crm/http';
import { Body, Controller, Delete, Get, Post, Query } from '@nestjs/common';
import { API_KEY_GROUP } from '../api-groups.js';
import { ApiKeyView, apiKeyView, NewApiKeyView, ServiceKeyInput } from './api-key.dto.js';
import { ApiKeyService } from './api-key.service.js';

@ApiGroup(API_KEY_GROUP)
@Controller('api/tenant/service-accounts/:id/api-keys')
@Access({ right: 'administer', proof: false })
export class ServiceKeyController {
  constructor(private readonly keys: ApiKeyService) {}

  @Get()
  @Describe({
    summary: 'List the API keys of a service account',
    description: 'Includes when and where each key was last used. Expired keys stay in the list for a month.',
    answers: [{ status: 200, description: 'The keys, newest first', body: () => ApiKeyView, list: true }],
  })
  async list(
    @CurrentPrincipal() principal: Principal,
    @IdParam() accountId: string,
    @Query() query: ListQuery,
  ): Promise<ListAnswer<ApiKeyView>> {
    return mapList(await this.keys.listOfAccount(principal, accountId, query), apiKeyView);
  }

  @Post()
  @Access({ right: 'administer', proof: true })
  @NotRepeatable()
  @Describe({
    summary: 'Create an API key for a service account',
    description: "It has the account's roles and scopes. It is shown once. An account can have up to 25 keys.",
    answers: [{ status: 201, description: 'The key', body: () => NewApiKeyView }],
    errors: ['ROLE_NOT_GRANTABLE', 'API_KEY_LIMIT_EXCEEDED'],
  })
  async make(
    @CurrentPrincipal() principal: Principal,
    @IdParam() accountId: string,
    @Body() input: ServiceKeyInput,
  ): Promise<NewApiKeyView> {
    return this.keys.makeForAccount(principal, accountId, input);
  }

  @Delete(':keyId')
  @Access({ right: 'administer', proof: true })
  @Describe({
    summary: 'Revoke an API key of a service account',
    description: 'It stops working within a second.',
    answers: [{ status: 204, description: 'The key is revoked' }],
    errors: ['ROLE_NOT_GRANTABLE'],
  })
  async end(
    @CurrentPrincipal() principal: Principal,
    @IdParam() accountId: string,
    @IdParam('keyId') keyId: string,
  ): Promise<void> {
    await this.keys.endOfAccount(principal, accountId, keyId);
  }
}
