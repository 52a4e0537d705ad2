/**
 * Cancels runs of deleted workflows that have not ended, at most $3 of them; a worker that executes one finds its claim
 * gone. $1: tenant, $2: workflows, $4: code and $5: detail of the error.
 */
export const CANCEL_RUNS = `
  WITH gone AS (
    DELETE FROM run_queue
     WHERE tenant_id = $1 AND run_id IN (
       SELECT run_id FROM run_queue WHERE tenant_id = $1 AND workflow_id = ANY ($2::uuid[]) LIMIT $3 FOR UPDATE)
    RETURNING run_id),
  cancelled AS (
    UPDATE run SET status = 'cancelled', error_code = $4, error_detail = $5, finished_at = now()
      FROM gone WHERE run.tenant_id = $1 AND run.id = gone.run_id)
  SELECT count(*)::int AS cancelled FROM gone`;
