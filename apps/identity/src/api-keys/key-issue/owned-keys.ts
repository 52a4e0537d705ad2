import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database } from '@crm/database';
import { idPosition, type ListAnswer, type ListQuery, listAnswer, parsePage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../../audit/trail/audit-trail.service.js';
import type { ApiKey } from '../../sessions/api-key/api-key.entity.js';
import { ApiKeyRepository } from '../../sessions/api-key/api-key.repository.js';
import { ApiKeyEnding } from '../../sessions/api-key/api-key-ending.js';
import { RevocationService } from '../../sessions/revocation/revocation.service.js';
import { type KeyHolder, keySubject } from './key-subject.js';

/** The keys of one owner, listed and ended. Whether the caller may is decided before. */
@Injectable()
export class OwnedKeys {
  constructor(
    private readonly database: Database,
    private readonly keys: ApiKeyRepository,
    private readonly ending: ApiKeyEnding,
    private readonly revocations: RevocationService,
    private readonly trail: AuditTrail,
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
   * @param principal who ends it, in the tenant of the owner
   * @throws PlatformError NOT_FOUND
   */
  async end(principal: Principal, owner: KeyHolder, id: string): Promise<void> {
    await this.database.transaction(principal, async (tx) => {
      const found = await this.ending.endWithin(tx, owner.id, id);
      if (!found) throw new PlatformError('NOT_FOUND', 'There is no such API key');
      this.trail.record(tx, { action: 'api_key.ended', subject: keySubject(owner), detail: { keyId: id } });
    });
    await this.revocations.publishPending();
  }

  /** @param principal who ends them, in the tenant of the owner */
  async endAll(principal: Principal, owner: KeyHolder): Promise<void> {
    await this.database.transaction(principal, async (tx) => {
      const keys = await this.ending.endAllWithin(tx, owner.id);
      this.trail.record(tx, { action: 'api_key.all_ended', subject: keySubject(owner), detail: { keys } });
    });
    await this.revocations.publishPending();
  }
}
