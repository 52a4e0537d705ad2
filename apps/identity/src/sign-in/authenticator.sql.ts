/**
 * Begins an enrolment, in place of one that was not finished; gives no row while an authenticator is in use.
 * $1: tenant, $2: user, $3: sealed secret.
 */
export const START_ENROLMENT = `
  INSERT INTO authenticator AS a (tenant_id, user_id, sealed_secret) VALUES ($1, $2, $3)
  ON CONFLICT (tenant_id, user_id) DO UPDATE SET sealed_secret = EXCLUDED.sealed_secret, created_at = now()
   WHERE a.confirmed_at IS NULL
  RETURNING user_id`;

/**
 * Uses up the code of a step; gives no row when it or a later one was used already, so that of two equal codes at once one is
 * accepted. $1: tenant, $2: user, $3: step.
 */
export const USE_STEP = `
  UPDATE authenticator SET last_step = $3
   WHERE tenant_id = $1 AND user_id = $2 AND confirmed_at IS NOT NULL AND (last_step IS NULL OR last_step < $3)
  RETURNING user_id`;

/** $1: tenant, $2: user. */
export const FIND_AUTHENTICATOR_IN_USE = `
  SELECT 1 FROM authenticator WHERE tenant_id = $1 AND user_id = $2 AND confirmed_at IS NOT NULL`;
