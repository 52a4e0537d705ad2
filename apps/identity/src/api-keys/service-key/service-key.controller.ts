import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe, IdParam, type ListAnswer, ListQuery, mapList, NotRepeatable } from '@crm/http';
import { Body, Controller, Delete, Get, HttpCode, Post, Query } from '@nestjs/common';
import { API_KEY_GROUP } from '../../api-groups.js';
import { ApiKeyView, apiKeyView, NewApiKeyView, newApiKeyView, ServiceKeyInput } from '../key-issue/api-key.dto.js';
import { ServiceKeyService } from './service-key.service.js';

@ApiGroup(API_KEY_GROUP)
@Controller('api/tenant/service-accounts/:id/api-keys')
export class ServiceKeyController {
  constructor(private readonly keys: ServiceKeyService) {}

  @Get()
  @Access({ right: 'administer' })
  @Describe({
    summary: 'Lists the API keys of a service account',
    description: 'With when and where each was used last. Expired keys stay in the list for a month.',
    answers: [{ status: 200, description: 'The keys, newest first', body: () => ApiKeyView, list: true }],
  })
  async list(
    @CurrentPrincipal() principal: Principal,
    @IdParam() accountId: string,
    @Query() query: ListQuery,
  ): Promise<ListAnswer<ApiKeyView>> {
    return mapList(await this.keys.list(principal, accountId, query), apiKeyView);
  }

  @Post()
  @NotRepeatable()
  @Access({ right: 'administer' })
  @Describe({
    summary: 'Makes an API key for a service account',
    description:
      'It has the roles and scopes of the account. The key is shown this once. At most 25 keys at a time. Needs a proof of your password or second factor in the last ten minutes.',
    answers: [{ status: 201, description: 'The key', body: () => NewApiKeyView }],
    errors: ['ROLE_NOT_GRANTABLE', 'STEP_UP_REQUIRED', 'API_KEY_LIMIT_EXCEEDED'],
  })
  async make(
    @CurrentPrincipal() principal: Principal,
    @IdParam() accountId: string,
    @Body() input: ServiceKeyInput,
  ): Promise<NewApiKeyView> {
    return newApiKeyView(await this.keys.make(principal, accountId, input));
  }

  @Delete(':keyId')
  @HttpCode(204)
  @Access({ right: 'administer' })
  @Describe({
    summary: 'Ends an API key of a service account',
    description:
      'It is refused within a second. Needs a proof of your password or second factor in the last ten minutes.',
    answers: [{ status: 204, description: 'The key has ended' }],
    errors: ['ROLE_NOT_GRANTABLE', 'STEP_UP_REQUIRED'],
  })
  async end(
    @CurrentPrincipal() principal: Principal,
    @IdParam() accountId: string,
    @IdParam('keyId') keyId: string,
  ): Promise<void> {
    await this.keys.end(principal, accountId, keyId);
  }
}
