import { measureDueWork } from '@crm/database';

/** Adds work and takes it at once. $1: tenant, $2: installation, $3: token of the lease, $4: seconds that it lasts. */
export const START_WORK = `
  INSERT INTO installation_work (tenant_id, installation_id, lease_token, lease_until)
  VALUES ($1, $2, $3, now() + make_interval(secs => $4))`;

/**
 * Takes due work that nobody holds. The choice is materialised: a plan that looks it up again for each row would take more
 * than the limit. $1: seconds that the lease lasts, $2: at most so many, $3: tenants whose work is left alone.
 */
export const CLAIM_WORK = `
  WITH due AS MATERIALIZED (
    SELECT tenant_id, installation_id FROM installation_work
     WHERE due_at <= now() AND (lease_until IS NULL OR lease_until < now()) AND tenant_id <> ALL ($3::uuid[])
     ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED)
  UPDATE installation_work AS work
     SET lease_token = gen_random_uuid(), lease_until = now() + make_interval(secs => $1)
    FROM due
   WHERE work.tenant_id = due.tenant_id AND work.installation_id = due.installation_id
  RETURNING work.tenant_id AS "tenantId", work.installation_id AS "installationId", work.lease_token AS token`;

/** $1, $2, $3: tenants, installations and tokens of the leases, in threes. */
export const RELEASE_WORK = `
  UPDATE installation_work AS work SET lease_token = NULL, lease_until = NULL
    FROM unnest($1::uuid[], $2::uuid[], $3::uuid[]) AS released (tenant_id, installation_id, token)
   WHERE work.tenant_id = released.tenant_id AND work.installation_id = released.installation_id
     AND work.lease_token = released.token`;

const LEASED = 'tenant_id = $1 AND installation_id = $2 AND lease_token = $3';

/** $1: tenant, $2: installation, $3: token of the lease, $4: seconds that it lasts from now on. */
export const RENEW_LEASE = `
  UPDATE installation_work SET lease_until = now() + make_interval(secs => $4) WHERE ${LEASED} RETURNING attempts`;

/** $1: tenant, $2: installation, $3: token of the lease, $4: seconds until the work is due again. */
export const POSTPONE_WORK = `
  UPDATE installation_work
     SET lease_token = NULL, lease_until = NULL, attempts = attempts + 1, due_at = now() + make_interval(secs => $4)
   WHERE ${LEASED}`;

/** $1: tenant, $2: installation, $3: token of the lease. */
export const FINISH_WORK = `DELETE FROM installation_work WHERE ${LEASED}`;

/** Work that is due and that nobody holds. $1: tenants whose work waits for something else. */
export const MEASURE_DUE_WORK = measureDueWork(
  'installation_work',
  'due_at',
  '(lease_until IS NULL OR lease_until < now()) AND tenant_id <> ALL ($1::uuid[])',
);
