import type { NewAuditEntry } from '../audit/audit-trail.service.js';
import type { ApiKeyOwnerKind } from './api-key.entity.js';

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
