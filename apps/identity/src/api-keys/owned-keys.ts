import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database, type TenantTransaction } from '@crm/database';
import { idPosition, type ListAnswer, type ListQuery, listAnswer, parsePage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { AuditTrail, type NewAuditEntry } from '../audit/audit-trail.service.js';
import { RevocationService } from '../sessions/revocation.service.js';
import { SessionService } from '../sessions/session.service.js';
import type { ApiKey, ApiKeyOwnerKind } from './api-key.entity.js';
import { ApiKeyRepository } from './api-key.repository.js';

/** Whom keys belong to. */
export interface KeyHolder {
  readonly kind: ApiKeyOwnerKind;
  readonly id: string;
}

/** What an act on a key is about, in the audit trail: its owner, who is found by the id there. */
export const keySubject = ({ kind, id }: KeyHolder): NonNullable<NewAuditEntry['subject']> => ({
  kind: kind === 'service' ? 'service_account' : 'user',
  id,
});

/**
 * Ends keys. The row goes, so that the key is exchanged no more, and a cut-off ends the tokens that it was exchanged for, as for
 * a session. After the commit the cut-offs have to be published: `RevocationService.publishPending`.
 */
@Injectable()
export class ApiKeyEnding {
  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly revocations: RevocationService,
    sessions: SessionService,
  ) {
    sessions.alsoEnd({
      endsWith: 'account',
      endAllWithin: async (tx, userId) => {
        await this.endAllWithin(tx, userId);
        return [];
      },
    });
  }

  /** @returns whether the owner had such a key */
  async endWithin(tx: TenantTransaction, ownerId: string, id: string): Promise<boolean> {
    const found = await this.keys.delete(tx, ownerId, id);
    if (found) await this.revocations.record(tx, 'session', id);
    return found;
  }

  /** @returns how many keys the owner had */
  async endAllWithin(tx: TenantTransaction, ownerId: string): Promise<number> {
    const ids = await this.keys.deleteOfOwner(tx, ownerId);
    for (const id of ids) await this.revocations.record(tx, 'session', id);
    return ids.length;
  }
}

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
