/** Held until the transaction ends. $1: what names the host user. */
export const LOCK_HOST_USER = 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))';
