import { Database, TENANT_OF_STATEMENT } from '@crm/database';
import { Inject, Injectable } from '@nestjs/common';
import { AUTOMATIONS_CONFIG, type AutomationsConfig } from '../config.js';
import type { Workflow, WorkflowOrigin } from '../workflow/workflow.entity.js';
import type { PinnedDefinition } from '../workflow/workflow.repository.js';
import type { Run, RunError, RunStatus, StepResult } from './run.entity.js';
import type { Claim } from './run-queue.repository.js';

// What becomes of a claimed run, in the context of its tenant, which is $1. Each is one round trip. $2: run, $3: claim; without
// the claim nothing is found and nothing is written.

/** Reads a run for execution; columns of the run, workflow or definition are null when there is none. $4: workflow. */
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
             workflow.app_key AS "appKey", workflow.sandbox, workflow.automation_key AS "automationKey",
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
 * Continues a run with the lease renewed and claims reset, or gives it back for later. $4: due at, or null, $5: lease seconds, $6
 * to $14: a step, whose position is null when there is none, $15: started at.
 */
export const CONTINUE_RUN = `
  SELECT continue_run($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) AS held`;

/** Ends a run. $4: status, $5: started at or null, $6 to $14: a step, $15: error code, $16: error detail. */
export const END_RUN = `
  SELECT end_run($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) AS held`;

export type ClaimedRun = Readonly<Pick<Run, 'id' | 'depth' | 'input' | 'createdAt'>> & {
  /** Begun steps, by position. */
  readonly steps: readonly StepResult[];
};

/** The current workflow, which decides on a run's rights. */
export type RunningWorkflow = Readonly<Pick<Workflow, 'id' | 'version' | 'authorId' | 'origin'>>;

export interface ClaimedWork {
  /** Null when the run does not exist any more. */
  readonly run: ClaimedRun | null;
  /** Null when it was deleted. */
  readonly workflow: RunningWorkflow | null;
  /** The definition that the run was accepted with; null when it does not exist. */
  readonly pinned: PinnedDefinition | null;
}

export interface RunEnd {
  readonly status: RunStatus;
  readonly error: RunError | null;
  /** Since when it was under way; null if it never was. */
  readonly startedAt: Date | null;
}

interface Row extends Omit<ClaimedRun, 'id' | 'steps' | 'createdAt'>, Omit<WorkflowOrigin, 'installationId'> {
  readonly createdAt: Date | null;
  /** JSON has times as texts. */
  readonly steps: readonly (Omit<StepResult, 'dueAt'> & { readonly dueAt: string | null })[] | null;
  readonly version: number | null;
  readonly authorId: string;
  readonly installationId: string | null;
  readonly definition: PinnedDefinition['definition'] | null;
  readonly objectNames: PinnedDefinition['objectNames'];
}

/**
 * Reads and stores a claimed run, each in one round trip that also checks the claim: a worker that has lost it reads
 * and writes nothing.
 */
@Injectable()
export class ClaimedRunRepository {
  constructor(
    private readonly database: Database,
    @Inject(AUTOMATIONS_CONFIG) private readonly config: AutomationsConfig,
  ) {}

  /** @returns undefined when the claim is lost */
  async read({ tenantId, runId, claimId, workflowId }: Claim): Promise<ClaimedWork | undefined> {
    const parameters = [runId, claimId, workflowId];
    const [row] = await this.database.read<Row>(tenantId, READ_CLAIMED_RUN, parameters);
    if (row === undefined) return undefined;
    const { depth, input, createdAt, definition, objectNames } = row;
    return {
      run: createdAt && { id: runId, depth, input, createdAt, steps: (row.steps ?? []).map(toStep) },
      workflow: toWorkflow(workflowId, row),
      pinned: definition && { definition, objectNames },
    };
  }

  async markRunning({ tenantId, runId, claimId }: Claim, since: Date): Promise<void> {
    await this.database.transaction(tenantId, async (tx) => tx.issue(MARK_RUNNING, [tenantId, runId, claimId, since]));
  }

  /**
   * @param dueAt when another worker may claim it; null keeps the claim and renews its lease
   * @returns false when the claim is lost
   */
  continue(claim: Claim, step: StepResult | null, dueAt: Date | null, startedAt: Date): Promise<boolean> {
    return this.store(claim, CONTINUE_RUN, [dueAt, this.config.runs.leaseSeconds, ...columnsOf(step), startedAt]);
  }

  /** @returns false when the claim is lost */
  end(claim: Claim, step: StepResult | null, { status, error, startedAt }: RunEnd): Promise<boolean> {
    const { code, detail } = error ?? { code: null, detail: null };
    return this.store(claim, END_RUN, [status, startedAt, ...columnsOf(step), code, detail]);
  }

  private async store(claim: Claim, sql: string, parameters: readonly unknown[]): Promise<boolean> {
    const { tenantId, runId, claimId } = claim;
    const [row] = await this.database.read<{ held: boolean }>(tenantId, sql, [runId, claimId, ...parameters]);
    return row?.held === true;
  }
}

const toStep = ({ dueAt, ...step }: NonNullable<Row['steps']>[number]): StepResult => ({
  ...step,
  dueAt: dueAt === null ? null : new Date(dueAt),
});

function toWorkflow(id: string, row: Row): RunningWorkflow | null {
  const { version, authorId, installationId, appKey, sandbox, automationKey, grantedScopes } = row;
  if (version === null) return null;
  const origin = installationId === null ? null : { installationId, appKey, sandbox, automationKey, grantedScopes };
  return { id, version, authorId, origin };
}

const columnsOf = (step: StepResult | null): unknown[] =>
  step === null
    ? Array<null>(9).fill(null)
    : [
        step.position,
        step.key,
        step.type,
        step.status,
        step.attempts,
        step.dueAt,
        step.output && JSON.stringify(step.output),
        step.errorCode,
        step.errorDetail,
      ];
