/** Objects with their fields, in one statement: a definition is read in one round trip. $1: tenant. */
const OBJECTS = `
  SELECT o.id, o.tenant_id AS "tenantId", o.installation_id AS "installationId", o.app_key AS "appKey", o.sandbox,
         o.declared_api_name AS "declaredApiName", o.api_name AS "apiName", o.label, o.plural_label AS "pluralLabel",
         o.description, o.name_field AS "nameField", o.revision, o.state,
         (SELECT coalesce(jsonb_agg(jsonb_build_object('id', f.id, 'key', f.key, 'slot', f.slot,
                   'referenceObjectId', f.reference_object_id, 'definition', f.definition) ORDER BY f.position), '[]')
            FROM custom_field f WHERE f.tenant_id = o.tenant_id AND f.object_id = o.id) AS fields,
         (SELECT coalesce(jsonb_object_agg(s.app_key, s.access), '{}')
            FROM custom_object_share s WHERE s.tenant_id = o.tenant_id AND s.object_id = o.id) AS "sharedWith"
    FROM custom_object o
   WHERE o.tenant_id = $1`;

/** $1: tenant. */
export const LIST_OBJECTS = `${OBJECTS} AND o.state = 'active' ORDER BY o.api_name`;

/** $1: tenant, $2: name in the tenant. */
export const FIND_OBJECT = `${OBJECTS} AND o.state = 'active' AND o.api_name = $2`;

/** In use or not. $1: tenant, $2: object. */
export const FIND_OBJECT_BY_ID = `${OBJECTS} AND o.id = $2`;

/** Every change of definitions begins with it. $1: tenant. */
export const LOCK_DEFINITIONS = `SELECT pg_advisory_xact_lock(hashtextextended('custom_object:' || $1::text, 0))`;

/**
 * Every write of records begins with it: definitions stay as they are until the transaction ends. Not a lock on the object's row, which all writers of the object
 * would write to. $1: tenant.
 */
export const HOLD_DEFINITIONS = `SELECT pg_advisory_xact_lock_shared(hashtextextended('custom_object:' || $1::text, 0))`;

/** $1: tenant, $2: object. */
export const FIND_REVISION = `SELECT revision FROM custom_object WHERE tenant_id = $1 AND id = $2 AND state = 'active'`;

/**
 * Fails when the object's definition has another revision. It follows HOLD_DEFINITIONS as a statement of its own, so that it
 * sees what a change that was waited for has committed. $1: tenant, $2: object, $3: revision, 0 for an object without a row.
 */
export const REQUIRE_REVISION = `
  SELECT CASE WHEN coalesce((SELECT revision FROM custom_object WHERE tenant_id = $1 AND id = $2 AND state = 'active'), 0) <> $3
              THEN stale_definition() END`;

/** $1: tenant, $2: installation. */
export const DELETE_UNIQUE_VALUES_OF_INSTALLATION = `
  DELETE FROM custom_unique WHERE tenant_id = $1 AND object_id IN
    (SELECT id FROM custom_object WHERE tenant_id = $1 AND installation_id = $2)`;

/** $1: tenant, $2: installation. */
export const DELETE_REFERENCES_OF_INSTALLATION = `
  DELETE FROM record_reference WHERE tenant_id = $1 AND object_id IN
    (SELECT id FROM custom_object WHERE tenant_id = $1 AND installation_id = $2)`;

/** $1: tenant, $2: installation. */
export const DELETE_RECORDS_OF_INSTALLATION = `
  DELETE FROM custom_record WHERE tenant_id = $1 AND object_id IN
    (SELECT id FROM custom_object WHERE tenant_id = $1 AND installation_id = $2)`;

/** $1: tenant, $2: installation. */
export const DELETE_SEARCH_TEXTS_OF_INSTALLATION = `
  DELETE FROM record_search WHERE tenant_id = $1 AND object_id IN
    (SELECT id FROM custom_object WHERE tenant_id = $1 AND installation_id = $2)`;
