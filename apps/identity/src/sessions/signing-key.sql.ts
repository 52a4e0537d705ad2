/** Held until the transaction ends. */
export const LOCK_SIGNING_KEYS = `SELECT pg_advisory_xact_lock(hashtext('identity.signing_key'))`;

/**
 * Takes every key of a group but one out of force, and with the same commit records cut-offs, which the replicas publish within
 * a second. Also those that retired within a day, which a verifier that could not reach identity may still know.
 * $1: group, $2: kid of the key that stays, $3: milliseconds since 1970, $4: seconds that the cut-offs matter.
 */
export const WITHDRAW_SIGNING_KEYS = `
  WITH withdrawn AS (
    UPDATE signing_key SET retires_at = LEAST(retires_at, now())
     WHERE issuer_group = $1 AND kid <> $2 AND (retires_at IS NULL OR retires_at > now() - interval '1 day')
    RETURNING kid),
  cut AS (
    INSERT INTO revocation_cutoff (kind, id, cutoff_ms, expires_at)
    SELECT 'signing_key', kid, $3, now() + make_interval(secs => $4) FROM withdrawn
    ON CONFLICT (kind, id) DO NOTHING)
  SELECT kid FROM withdrawn ORDER BY kid`;
