/**
 * Runs for every event; `enabled` is written out for the partial index, where TypeORM would send a parameter. Without what
 * the workflows do.
 * $1: tenant, $2: name of the event.
 */
export const LIST_WORKFLOWS_STARTED_BY = `
  SELECT id, definition_version AS version, app_key AS "appKey", granted_scopes AS "grantedScopes"
    FROM workflow WHERE tenant_id = $1 AND event_name = $2 AND enabled ORDER BY id`;

/** Changes and returns a workflow in one round trip. $1: tenant, $2: id, $3: whether it is enabled from now on. */
export const SET_WORKFLOW_ENABLED = `
  UPDATE workflow SET enabled = $3, version = version + 1, updated_at = now() WHERE tenant_id = $1 AND id = $2
  RETURNING tenant_id AS "tenantId", id, version, name, definition, definition_version AS "definitionVersion", trigger_type AS "triggerType",
    event_name AS "eventName", enabled, author_id AS "authorId", installation_id AS "installationId",
    automation_key AS "automationKey", app_key AS "appKey", granted_scopes AS "grantedScopes",
    object_names AS "objectNames", created_at AS "createdAt", updated_at AS "updatedAt"`;

/** Keeps what a workflow does, before it is replaced, for its runs. $1: tenant, $2: workflow. */
export const KEEP_DEFINITION = `
  INSERT INTO workflow_version (tenant_id, workflow_id, version, definition, object_names)
  SELECT tenant_id, id, definition_version, definition, object_names FROM workflow WHERE tenant_id = $1 AND id = $2`;

/** $1: tenant, $2: workflows. */
export const DELETE_RATES = `DELETE FROM workflow_rate WHERE tenant_id = $1 AND workflow_id = ANY ($2::uuid[])`;

/**
 * Deletes definitions, at most $1, that were replaced more than $2 seconds ago and that no unfinished run of their workflow
 * can have been accepted with, of all tenants.
 */
export const SWEEP_DEFINITIONS = `
  WITH old AS (
    SELECT tenant_id, workflow_id, version FROM workflow_version AS kept
     WHERE replaced_at < now() - make_interval(secs => $2)
       AND NOT EXISTS (SELECT 1 FROM run_queue
                        WHERE run_queue.tenant_id = kept.tenant_id AND run_queue.workflow_id = kept.workflow_id)
     ORDER BY replaced_at LIMIT $1),
  gone AS (
    DELETE FROM workflow_version AS kept USING old
     WHERE kept.tenant_id = old.tenant_id AND kept.workflow_id = old.workflow_id AND kept.version = old.version
    RETURNING 1)
  SELECT count(*)::int AS deleted FROM gone`;

/** Held until the transaction ends. $1: tenant. */
export const LOCK_WORKFLOWS = `SELECT pg_advisory_xact_lock(hashtextextended('workflows of ' || $1::text, 0))`;
