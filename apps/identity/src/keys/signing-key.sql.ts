/** Held until the transaction ends. */
export const LOCK_SIGNING_KEYS = `SELECT pg_advisory_xact_lock(hashtext('identity.signing_key'))`;
