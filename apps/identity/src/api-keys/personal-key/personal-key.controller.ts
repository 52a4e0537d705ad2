import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe, IdParam, type ListAnswer, ListQuery, mapList, NotRepeatable } from '@crm/http';
import { Body, Controller, Delete, Get, HttpCode, Post, Query } from '@nestjs/common';
import { API_KEY_GROUP } from '../../api-groups.js';
import { ApiKeyInput, ApiKeyView, apiKeyView, NewApiKeyView, newApiKeyView } from '../key-issue/api-key.dto.js';
import { OwnedKeys } from '../key-issue/owned-keys.js';
import { PersonalKeyService } from './personal-key.service.js';

@ApiGroup(API_KEY_GROUP)
@Controller('api/auth/api-keys')
export class PersonalKeyController {
  constructor(
    private readonly personal: PersonalKeyService,
    private readonly keys: OwnedKeys,
  ) {}

  @Get()
  @Access({ right: 'read' })
  @Describe({
    summary: 'Lists your API keys',
    description: 'With when and where each was used last. Expired keys stay in the list for a month.',
    answers: [{ status: 200, description: 'The keys, newest first', body: () => ApiKeyView, list: true }],
  })
  async list(@CurrentPrincipal() principal: Principal, @Query() query: ListQuery): Promise<ListAnswer<ApiKeyView>> {
    return mapList(await this.keys.list(principal.tenantId, principal.userId, query), apiKeyView);
  }

  @Post()
  @NotRepeatable()
  @Access({ right: 'read' })
  @Describe({
    summary: 'Makes an API key for yourself',
    description:
      'A program that has the key acts for you, within its scopes and your role. The key is shown this once. At most 25 keys at a time. Needs a proof of your password or second factor in the last ten minutes; you are told by e-mail.',
    answers: [{ status: 201, description: 'The key', body: () => NewApiKeyView }],
    errors: ['STEP_UP_REQUIRED', 'SCOPE_NOT_GRANTABLE', 'API_KEY_LIMIT_EXCEEDED'],
  })
  async make(@CurrentPrincipal() principal: Principal, @Body() input: ApiKeyInput): Promise<NewApiKeyView> {
    return newApiKeyView(await this.personal.make(principal, input));
  }

  @Delete()
  @HttpCode(204)
  @Access({ right: 'read' })
  @Describe({
    summary: 'Ends all of your API keys',
    description: 'They are refused within a second.',
    answers: [{ status: 204, description: 'The keys have ended' }],
  })
  async endAll(@CurrentPrincipal() principal: Principal): Promise<void> {
    await this.keys.endAll(principal, { kind: 'user', id: principal.userId });
  }

  @Delete(':id')
  @HttpCode(204)
  @Access({ right: 'read' })
  @Describe({
    summary: 'Ends one of your API keys',
    description: 'It is refused within a second.',
    answers: [{ status: 204, description: 'The key has ended' }],
  })
  async end(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<void> {
    await this.keys.end(principal, { kind: 'user', id: principal.userId }, id);
  }
}
