import type { TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import type { NewAuditEntry } from '../audit/audit-trail.service.js';
import { RevocationService } from '../sessions/revocation.service.js';
import { SessionService } from '../sessions/session.service.js';
import type { ApiKeyOwnerKind } from './api-key.entity.js';
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
