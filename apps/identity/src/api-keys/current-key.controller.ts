import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database } from '@crm/database';
import { ApiGroup, Describe } from '@crm/http';
import { Controller, Get } from '@nestjs/common';
import { API_KEY_GROUP } from '../api-groups.js';
import { apiKeyView, CurrentKeyView } from './api-key.dto.js';
import { ApiKeyRepository } from './api-key.repository.js';
import { KeyOwners } from './key-owners.js';

@ApiGroup(API_KEY_GROUP)
@Controller('api/auth/api-keys/current')
export class CurrentKeyController {
  constructor(
    private readonly database: Database,
    private readonly keys: ApiKeyRepository,
    private readonly owners: KeyOwners,
  ) {}

  @Get()
  @Access({ right: 'read', key: true })
  @Describe({
    summary: 'Get the current API key',
    description: 'Who the key acts for, its roles and scopes, and when it expires. Call it with an API key.',
    answers: [{ status: 200, description: 'The key', body: () => CurrentKeyView }],
    errors: ['NOT_FOUND'],
  })
  async get(@CurrentPrincipal() { tenantId, apiKeyId }: Principal): Promise<CurrentKeyView> {
    if (apiKeyId === undefined) throw new PlatformError('NOT_FOUND', 'The call was made without an API key');
    return this.database.transaction(tenantId, async (tx) => {
      const key = await this.keys.findLive(tx, apiKeyId);
      const owner = key && (await this.owners.lock(tx, key));
      if (!owner) throw new PlatformError('INVALID_API_KEY');
      const { name, roles, scopes } = owner;
      const described = { kind: key.ownerKind, id: key.ownerId, name, roles: [...roles] };
      return { ...apiKeyView(key), scopes: [...scopes], owner: described, tenantId };
    });
  }
}
