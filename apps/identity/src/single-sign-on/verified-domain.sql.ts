/** Waits for a transaction that is claiming the same domain. $1: domain, $2: tenant, $3: seconds until the next check. */
export const CLAIM_DOMAIN = `
  INSERT INTO verified_domain (domain, tenant_id, next_check_at) VALUES ($1, $2, now() + make_interval(secs => $3))
  ON CONFLICT (domain) DO NOTHING RETURNING domain`;

/** $1: how many, $2: seconds until the next check. */
export const TAKE_DUE_DOMAINS = `
  WITH due AS MATERIALIZED (
    SELECT domain FROM verified_domain WHERE next_check_at <= now() ORDER BY next_check_at LIMIT $1 FOR UPDATE SKIP LOCKED)
  UPDATE verified_domain SET next_check_at = now() + make_interval(secs => $2)
    FROM due WHERE verified_domain.domain = due.domain
  RETURNING verified_domain.domain, tenant_id AS "tenantId"`;
