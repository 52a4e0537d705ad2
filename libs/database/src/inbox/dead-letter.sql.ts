const COLUMNS = `id, tenant_id AS "tenantId", consumer, event_id AS "eventId", subject, error, deliveries,
  created_at AS "createdAt", replayed_at AS "replayedAt"`;

/**
 * A message that is already stored keeps its row; one that was stored by this transaction has its time. $1: tenant, $2: id, $3: consumer, $4: message key, $5: event, $6: subject,
 * $7: payload, $8: error, $9: deliveries.
 */
export const STORE_DEAD_LETTER = `
  INSERT INTO dead_letter (tenant_id, id, consumer, message_key, event_id, subject, payload, error, deliveries)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
  ON CONFLICT (tenant_id, id) DO UPDATE
     SET error = excluded.error, deliveries = excluded.deliveries
  RETURNING created_at = now() AS "isNew"`;

/** $1: consumer, $2: limit, $3: only those after this id; null for the first page. */
export const LIST_DEAD_LETTERS = `
  SELECT ${COLUMNS} FROM dead_letter
   WHERE consumer = $1 AND replayed_at IS NULL AND ($3::uuid IS NULL OR id > $3)
   ORDER BY id LIMIT $2`;

/** $1: consumer, $2: id. */
export const FIND_DEAD_LETTER = `
  SELECT ${COLUMNS} FROM dead_letter WHERE consumer = $1 AND id = $2 AND replayed_at IS NULL`;

/** $1: tenant, $2: id. */
export const LOCK_DEAD_LETTER = `
  SELECT ${COLUMNS}, payload FROM dead_letter
   WHERE tenant_id = $1 AND id = $2 AND replayed_at IS NULL FOR UPDATE`;

/** $1: tenant, $2: id. */
export const MARK_REPLAYED = 'UPDATE dead_letter SET replayed_at = now() WHERE tenant_id = $1 AND id = $2';

/** $1: consumer. */
export const COUNT_DEAD_LETTERS = `
  SELECT count(*) AS waiting FROM dead_letter WHERE consumer = $1 AND replayed_at IS NULL`;
