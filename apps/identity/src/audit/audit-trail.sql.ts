/**
 * Adds an entry. One that is there already, because its cause came twice, stays as it is.
 * $1: tenant, $2: id, $3: time, $4: action, $5: outcome, $6: kind and $7: id of who acted, $8: kind and $9: id of what was acted on,
 * $10: address, $11: device, $12: request, $13: detail.
 */
export const RECORD_AUDIT_ENTRY = `
  INSERT INTO audit_entry (tenant_id, id, at, action, outcome, actor_kind, actor_id, subject_kind, subject_id,
    address, device, request_id, detail)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
  ON CONFLICT (tenant_id, id) DO NOTHING`;

/** Forgets where a user acted from; runs with the rights of the owner, see the migration. $1: user. */
export const FORGET_AUDIT_PLACES = 'SELECT forget_audit_places($1)';

/**
 * Removes entries whose retention is over, oldest first: the policy of the table admits no younger ones than of thirty days.
 * $1: days that entries are kept, $2: at most so many.
 */
export const DELETE_OLD_AUDIT_ENTRIES = `
  DELETE FROM audit_entry WHERE (tenant_id, id) IN (
    SELECT tenant_id, id FROM audit_entry WHERE at < now() - make_interval(days => $1::integer) ORDER BY at LIMIT $2)
  RETURNING 1`;
