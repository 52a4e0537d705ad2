import { measureDueWork } from '@crm/database';

/**
 * The choice is materialised: a plan that looks it up again for each row would take more than the limit.
 * $1: tenants whose mail is left alone, $2: at most so many, $3: seconds for which nobody else sees them as due.
 */
export const CLAIM_MAIL = `
  WITH due AS MATERIALIZED (
    SELECT tenant_id, id, next_attempt_at FROM mail
     WHERE next_attempt_at <= now() AND tenant_id <> ALL ($1::uuid[])
     ORDER BY next_attempt_at LIMIT $2 FOR UPDATE SKIP LOCKED)
  UPDATE mail SET next_attempt_at = now() + make_interval(secs => $3)
    FROM due WHERE mail.tenant_id = due.tenant_id AND mail.id = due.id
  RETURNING mail.tenant_id AS "tenantId", mail.id, recipient, subject, body,
    sealed_body AS "sealedBody", attempts, last_error AS "lastError",
    due.next_attempt_at AS "dueAt", expires_at <= now() AS expired`;

/** $1, $2, $3: tenants, ids and earlier due times of the mails, in threes. */
export const RELEASE_MAIL = `
  UPDATE mail SET next_attempt_at = released.due_at
    FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) AS released (tenant_id, id, due_at)
   WHERE mail.tenant_id = released.tenant_id AND mail.id = released.id`;

/** Mail that is due and waits for a sender. */
export const MEASURE_DUE_MAIL = measureDueWork('mail', 'next_attempt_at');
