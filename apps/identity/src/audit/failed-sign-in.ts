import { SYSTEM } from './audit-actor.js';
import type { NewAuditEntry } from './audit-trail.service.js';

/**
 * A sign-in to a known account that was refused. Whoever tried has proven nothing, so nobody is named as the actor.
 * @param reason what was wrong: the password, the code, or the status of the account
 */
export const failedSignIn = (id: string, reason: string, kind: 'users' | 'operators' = 'users'): NewAuditEntry => ({
  action: 'sign_in.failed',
  outcome: 'failure',
  actor: SYSTEM,
  subject: { kind: 'user', id },
  detail: { reason, ...(kind === 'operators' && { account: 'operator' }) },
});
