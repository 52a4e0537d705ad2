import { TENANT_OF_STATEMENT } from '@crm/database';

// What becomes of a claimed run, in the context of its tenant, which is $1. Each is one round trip. $2: run, $3: claim; without
// the claim nothing is found and nothing is written.

/**
 * What executing the run needs; the columns of the run, or those of the workflow, are null when there is none, those of the
 * definition when the run was accepted with one that does not exist. $4: workflow.
 */
export const READ_CLAIMED_RUN = `
  SELECT claimed.*
    FROM ${TENANT_OF_STATEMENT}, LATERAL (
      SELECT run.depth, run.input, run.created_at AS "createdAt",
             (SELECT json_agg(json_build_object(
                       'position', position, 'key', key, 'type', type, 'status', status, 'attempts', attempts,
                       'dueAt', due_at, 'output', output, 'errorCode', error_code, 'errorDetail', error_detail)
                       ORDER BY position)
                FROM run_step WHERE run_step.tenant_id = $1::uuid AND run_step.run_id = $2) AS steps,
             workflow.version, workflow.author_id AS "authorId", workflow.installation_id AS "installationId",
             workflow.app_key AS "appKey", workflow.automation_key AS "automationKey",
             workflow.granted_scopes AS "grantedScopes",
             CASE WHEN run.workflow_version = workflow.definition_version
                  THEN workflow.definition ELSE replaced.definition END AS definition,
             CASE WHEN run.workflow_version = workflow.definition_version
                  THEN workflow.object_names ELSE replaced.object_names END AS "objectNames"
        FROM run_queue
        LEFT JOIN run ON run.tenant_id = $1::uuid AND run.id = $2
        LEFT JOIN workflow ON workflow.tenant_id = $1::uuid AND workflow.id = $4
        LEFT JOIN workflow_version AS replaced
               ON replaced.tenant_id = $1::uuid AND replaced.workflow_id = $4 AND replaced.version = run.workflow_version
              AND run.workflow_version <> workflow.definition_version
       WHERE run_queue.tenant_id = $1::uuid AND run_queue.run_id = $2 AND run_queue.claim_id = $3 AND tenant.id IS NOT NULL
      OFFSET 0) AS claimed`;

/** Shows that the run is under way. $4: since when. */
export const MARK_RUNNING = `
  UPDATE run SET status = 'running', started_at = greatest(created_at, $4::timestamptz)
   WHERE tenant_id = $1 AND id = $2 AND status = 'queued'
     AND EXISTS (SELECT 1 FROM run_queue WHERE tenant_id = $1 AND run_id = $2 AND claim_id = $3)`;

/**
 * Stores the result of an attempt at a step, unless $6 is null. $6: position, $7: key, $8: type, $9: status, $10: attempts,
 * $11: when it is due again, $12: output, $13: code and $14: detail of the error.
 */
const STORED_STEP = `
  INSERT INTO run_step (tenant_id, run_id, position, key, type, status, attempts, due_at, output, error_code, error_detail)
  SELECT $1, held.run_id, $6::int, $7, $8, $9, $10::int, $11::timestamptz, $12::json, $13, $14 FROM held WHERE $6::int IS NOT NULL
  ON CONFLICT (tenant_id, run_id, position) DO UPDATE SET
    status = EXCLUDED.status, attempts = EXCLUDED.attempts, due_at = EXCLUDED.due_at, output = EXCLUDED.output,
    error_code = EXCLUDED.error_code, error_detail = EXCLUDED.error_detail, updated_at = now()`;

/**
 * Stores that the run goes on: with the lease renewed and claims counted anew, or, given back, at a later time. A longer lease
 * is left. $4: when it is due, or null, $5: seconds of the lease, $6 to $14: a step, $15: since when the run is under way.
 */
export const CONTINUE_RUN = `
  WITH held AS (
    UPDATE run_queue
       SET due_at = coalesce($4::timestamptz, greatest(due_at, now() + make_interval(secs => $5))),
           claim_id = CASE WHEN $4::timestamptz IS NULL THEN claim_id END,
           claims = CASE WHEN $4::timestamptz IS NULL THEN 1 ELSE 0 END
     WHERE tenant_id = $1 AND run_id = $2 AND claim_id = $3
    RETURNING run_id),
  stored AS (${STORED_STEP}),
  begun AS (
    UPDATE run SET status = 'running', started_at = greatest(created_at, $15::timestamptz)
     WHERE tenant_id = $1 AND id = $2 AND status = 'queued' AND EXISTS (SELECT 1 FROM held))
  SELECT run_id FROM held`;

/**
 * Stores how the run ended. $4: status, $5: since when it was under way, null if it never was; $6 to $14: a step; $15: code
 * and $16: detail of the error.
 */
export const END_RUN = `
  WITH held AS (
    DELETE FROM run_queue WHERE tenant_id = $1 AND run_id = $2 AND claim_id = $3 RETURNING run_id),
  stored AS (${STORED_STEP}),
  ended AS (
    UPDATE run SET status = $4, error_code = $15, error_detail = $16, finished_at = now(),
           started_at = CASE WHEN $5::timestamptz IS NULL THEN started_at
                             ELSE coalesce(started_at, greatest(created_at, $5::timestamptz)) END
     WHERE tenant_id = $1 AND id = $2 AND EXISTS (SELECT 1 FROM held))
  SELECT run_id FROM held`;
