import { Database } from '@crm/database';
import { Injectable, Logger } from '@nestjs/common';

/**
 * Cancels runs of deleted workflows that have not ended, at most $3 of them; a worker that executes one finds its claim
 * gone. $1: tenant, $2: workflows, $4: code and $5: detail of the error.
 */
const CANCEL_RUNS = `
  WITH gone AS (
    DELETE FROM run_queue
     WHERE tenant_id = $1 AND run_id IN (
       SELECT run_id FROM run_queue WHERE tenant_id = $1 AND workflow_id = ANY ($2::uuid[]) LIMIT $3 FOR UPDATE)
    RETURNING run_id),
  cancelled AS (
    UPDATE run SET status = 'cancelled', error_code = $4, error_detail = $5, finished_at = now()
      FROM gone WHERE run.tenant_id = $1 AND run.id = gone.run_id)
  SELECT count(*)::int AS cancelled FROM gone`;

/** Runs that one transaction cancels. */
const BATCH = 1_000;

/** Of a run whose workflow was deleted before it ended. */
export const WORKFLOW_DELETED = { code: 'WORKFLOW_DELETED', detail: 'The workflow was deleted' } as const;

/**
 * What becomes of the runs that a workflow has accepted when it is deleted. They are in the tables of runs, which know of
 * workflows and not the other way round.
 */
@Injectable()
export class AcceptedRunsService {
  private readonly logger = new Logger(AcceptedRunsService.name);

  constructor(private readonly database: Database) {}

  /**
   * Cancels the runs of deleted workflows that have not ended, after the transaction that deleted these. A run that is
   * under way is cancelled after its current step. Nothing depends on it: a worker that claims a run without a workflow
   * cancels it, so a failure is only logged.
   */
  async cancel(tenantId: string, workflowIds: readonly string[]): Promise<void> {
    if (workflowIds.length === 0) return;
    const { code, detail } = WORKFLOW_DELETED;
    try {
      for (let cancelled = BATCH; cancelled === BATCH; ) {
        cancelled = await this.database.transaction(tenantId, async (tx) => {
          const parameters = [tx.tenantId, workflowIds, BATCH, code, detail];
          const [row] = await tx.query<{ cancelled: number }>(CANCEL_RUNS, parameters);
          return row?.cancelled ?? 0;
        });
      }
    } catch (error) {
      this.logger.warn({ msg: 'Runs of deleted workflows are cancelled when they are due', workflowIds, err: error });
    }
  }
}
