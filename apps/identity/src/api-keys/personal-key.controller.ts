import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe, IdParam, type ListAnswer, ListQuery, mapList, NotRepeatable } from '@crm/http';
import { Body, Controller, Delete, Get, Post, Query } from '@nestjs/common';
import { API_KEY_GROUP } from '../api-groups.js';
import { ApiKeyInput, ApiKeyView, apiKeyView, NewApiKeyView } from './api-key.dto.js';
import { ApiKeyService } from './api-key.service.js';

@ApiGroup(API_KEY_GROUP)
@Controller('api/auth/api-keys')
@Access({ right: 'read' })
export class PersonalKeyController {
  constructor(private readonly keys: ApiKeyService) {}

  @Get()
  @Describe({
    summary: 'List your API keys',
    description: 'Includes when and where each key was last used. Expired keys stay in the list for a month.',
    answers: [{ status: 200, description: 'The keys, newest first', body: () => ApiKeyView, list: true }],
  })
  async list(@CurrentPrincipal() principal: Principal, @Query() query: ListQuery): Promise<ListAnswer<ApiKeyView>> {
    return mapList(await this.keys.list(principal.tenantId, principal.userId, query), apiKeyView);
  }

  @Post()
  @Access({ right: 'read', proof: true })
  @NotRepeatable()
  @Describe({
    summary: 'Create an API key',
    description:
      'The key acts as you, within its scopes and your role. It is shown once. You can have up to 25 keys. You are notified by email.',
    answers: [{ status: 201, description: 'The key', body: () => NewApiKeyView }],
    errors: ['SCOPE_NOT_GRANTABLE', 'API_KEY_LIMIT_EXCEEDED'],
  })
  async make(@CurrentPrincipal() principal: Principal, @Body() input: ApiKeyInput): Promise<NewApiKeyView> {
    return this.keys.make(principal, input);
  }

  @Delete()
  @Describe({
    summary: 'Revoke all of your API keys',
    description: 'They stop working within a second.',
    answers: [{ status: 204, description: 'The keys are revoked' }],
  })
  async endAll(@CurrentPrincipal() principal: Principal): Promise<void> {
    await this.keys.endAll(principal, { kind: 'user', id: principal.userId });
  }

  @Delete(':id')
  @Describe({
    summary: 'Revoke one of your API keys',
    description: 'It stops working within a second.',
    answers: [{ status: 204, description: 'The key is revoked' }],
  })
  async end(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<void> {
    await this.keys.end(principal, { kind: 'user', id: principal.userId }, id);
  }
}
