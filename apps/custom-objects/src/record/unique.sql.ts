/** Waits for a transaction that is about to claim the value. $1: tenant, $2: object, $3: field, $4: value, $5: record. */
export const CLAIM_UNIQUE_VALUE = `
  INSERT INTO custom_unique (tenant_id, object_id, field_id, norm_value, record_id) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (tenant_id, object_id, field_id, norm_value) DO NOTHING RETURNING record_id`;

/** $1: tenant, $2: object, $3: field, $4: record. */
export const RELEASE_UNIQUE_VALUE = `
  DELETE FROM custom_unique WHERE tenant_id = $1 AND object_id = $2 AND field_id = $3 AND record_id = $4`;

/** $1: tenant, $2: object, $3: record. */
export const RELEASE_UNIQUE_VALUES_OF_RECORD = `
  DELETE FROM custom_unique WHERE tenant_id = $1 AND object_id = $2 AND record_id = $3`;
