import type { AuditAction } from '../audit/audit-actions.js';
import type { AuditDetail } from '../audit/audit-entry.entity.js';
import type { NewAuditEntry } from '../audit/audit-trail.service.js';
import type { EndedGrant } from './grant.repository.js';

/** The entry of the audit trail about a grant that was narrowed or has ended: it is about the user for whom the app acts. */
export const grantEntry = (
  action: Extract<AuditAction, 'oauth_grant.narrowed' | 'oauth_grant.ended' | 'oauth_grant.replay_noticed'>,
  grantId: string,
  { userId, appKey, installationId }: EndedGrant,
  detail: AuditDetail = {},
): NewAuditEntry => ({
  action,
  subject: { kind: 'user', id: userId },
  detail: { appKey, installationId, grantId, ...detail },
});
