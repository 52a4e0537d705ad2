/**
 * Registers references to records that exist, and keeps those from being deleted until the transaction ends; returns the
 * fields whose record exists. $1: tenant, $2: object, $3: record, $4: keys of the fields, $5: objects, $6: records.
 */
export const CLAIM_REFERENCES = `
  INSERT INTO record_reference (tenant_id, target_id, object_id, record_id, field_key)
  SELECT $1::uuid, target.id, $2::uuid, $3::uuid, wanted.field_key
    FROM unnest($4::integer[], $5::uuid[], $6::uuid[]) AS wanted (field_key, object_id, target_id),
         LATERAL (SELECT id FROM custom_record
                   WHERE tenant_id = $1 AND object_id = wanted.object_id AND id = wanted.target_id AND deleted_at IS NULL
                     FOR KEY SHARE) AS target
  ON CONFLICT DO NOTHING RETURNING field_key AS "fieldKey"`;

/** $1: tenant, $2: object, $3: records, $4: keys of their fields, $5: the records that they refer to. */
export const RELEASE_REFERENCES = `
  DELETE FROM record_reference USING unnest($3::uuid[], $4::integer[], $5::uuid[]) AS held (record_id, field_key, target_id)
   WHERE record_reference.tenant_id = $1 AND record_reference.target_id = held.target_id
     AND record_reference.object_id = $2 AND record_reference.record_id = held.record_id
     AND record_reference.field_key = held.field_key`;

/** Which records refer to any of some, in the order in which they are to be locked. $1: tenant, $2: records, $3: limit. */
export const LIST_REFERRING = `
  SELECT object_id AS "objectId", record_id AS "recordId", field_key AS "fieldKey"
    FROM record_reference WHERE tenant_id = $1 AND target_id = ANY ($2::uuid[])
   ORDER BY object_id, record_id, field_key LIMIT $3`;
