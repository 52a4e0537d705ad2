/** The texts of new records, in arrays. $1: tenant, $2: object, $3: records, $4: audiences, $5: texts. */
export const INSERT_SEARCH_TEXTS = `
  INSERT INTO record_search (tenant_id, object_id, id, audience, text)
  SELECT $1, $2, written.* FROM unnest($3::uuid[], $4::text[], $5::text[]) AS written (id, audience, text)`;

/** Sets the texts of records. The parameters are those of INSERT_SEARCH_TEXTS. */
export const WRITE_SEARCH_TEXTS = `${INSERT_SEARCH_TEXTS}
  ON CONFLICT (tenant_id, object_id, id, audience) DO UPDATE SET text = excluded.text`;

/** $1: tenant, $2: object, $3: records, $4: audiences, null for all. */
export const DELETE_SEARCH_TEXTS = `
  DELETE FROM record_search
   WHERE tenant_id = $1 AND object_id = $2 AND id = ANY ($3::uuid[]) AND ($4::text[] IS NULL OR audience = ANY ($4::text[]))`;

/** $1: tenant, $2: object. */
export const DELETE_SEARCH_TEXTS_OF_OBJECT = `DELETE FROM record_search WHERE tenant_id = $1 AND object_id = $2`;

/** For the arguments see SEARCH_FUNCTION. $1: object, $2: audiences, $3: text, $4: whether it is indexed, $5: after, $6: wanted, $7: most. */
export const SEARCH_RECORDS = `SELECT ids, counted FROM search_records($1, $2, $3, $4, $5, $6, $7)`;

/**
 * The next records whose texts are to be written anew, which nobody changes meanwhile.
 * $1: tenant, $2: object, $3: record after which they come, or null, $4: how many.
 */
export const LOCK_NEXT_RECORDS = `
  SELECT id, data FROM custom_record
   WHERE tenant_id = $1 AND object_id = $2 AND id > $3 AND deleted_at IS NULL
   ORDER BY id LIMIT $4 FOR NO KEY UPDATE`;
