import { PlatformError } from '@crm/contracts';
import { Database } from '@crm/database';
import { idPosition, type ListAnswer, type ListQuery, listAnswer, parsePage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import type { ApiKey } from '../../sessions/api-key/api-key.entity.js';
import { ApiKeyRepository } from '../../sessions/api-key/api-key.repository.js';
import { ApiKeyEnding } from '../../sessions/api-key/api-key-ending.js';
import { RevocationService } from '../../sessions/revocation/revocation.service.js';

/** The keys of one owner, listed and ended. Whether the caller may is decided before. */
@Injectable()
export class OwnedKeys {
  constructor(
    private readonly database: Database,
    private readonly keys: ApiKeyRepository,
    private readonly ending: ApiKeyEnding,
    private readonly revocations: RevocationService,
  ) {}

  /**
   * Newest first; expired ones stay for a month.
   * @throws PlatformError INVALID_QUERY for a cursor of another owner or list
   */
  async list(tenantId: string, ownerId: string, query: ListQuery): Promise<ListAnswer<ApiKey>> {
    const page = parsePage(query, { tenantId, list: 'api-keys', filter: ownerId });
    const { keys, counted } = await this.database.transaction(tenantId, (tx) =>
      this.keys.listOfOwner(tx, ownerId, page),
    );
    return listAnswer(keys, page, counted, idPosition);
  }

  /**
   * Ends a key: from the commit on it is not exchanged, and within a second its tokens are refused everywhere.
   * @throws PlatformError NOT_FOUND
   */
  async end(tenantId: string, ownerId: string, id: string): Promise<void> {
    const found = await this.database.transaction(tenantId, (tx) => this.ending.endWithin(tx, ownerId, id));
    if (!found) throw new PlatformError('NOT_FOUND', 'There is no such API key');
    await this.revocations.publishPending();
  }

  async endAll(tenantId: string, ownerId: string): Promise<void> {
    await this.database.transaction(tenantId, (tx) => this.ending.endAllWithin(tx, ownerId));
    await this.revocations.publishPending();
  }
}
