/**
 * Runs for every event; `enabled` is written out for the partial index, where TypeORM would send a parameter. Without what
 * the workflows do.
 * $1: tenant, $2: name of the event.
 */
export const LIST_WORKFLOWS_STARTED_BY = `
  SELECT id, app_key AS "appKey", granted_scopes AS "grantedScopes"
    FROM workflow WHERE tenant_id = $1 AND event_name = $2 AND enabled ORDER BY id`;

/** Changes and returns a workflow in one round trip. $1: tenant, $2: id, $3: whether it is enabled from now on. */
export const SET_WORKFLOW_ENABLED = `
  UPDATE workflow SET enabled = $3, version = version + 1, updated_at = now() WHERE tenant_id = $1 AND id = $2
  RETURNING tenant_id AS "tenantId", id, version, name, definition, trigger_type AS "triggerType",
    event_name AS "eventName", enabled, author_id AS "authorId", installation_id AS "installationId",
    automation_key AS "automationKey", app_key AS "appKey", granted_scopes AS "grantedScopes",
    object_names AS "objectNames", created_at AS "createdAt", updated_at AS "updatedAt"`;

/** Held until the transaction ends. $1: tenant. */
export const LOCK_WORKFLOWS = `SELECT pg_advisory_xact_lock(hashtextextended('workflows of ' || $1::text, 0))`;
