/** Held until the transaction ends. $1: what names the person at the provider. */
export const LOCK_SUBJECT = 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))';
