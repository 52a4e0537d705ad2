import { Database } from '@crm/database';
import { Inject, Injectable } from '@nestjs/common';
import { AUTOMATIONS_CONFIG, type AutomationsConfig } from '../config.js';
import type { Workflow, WorkflowOrigin } from '../workflow/workflow.entity.js';
import type { PinnedDefinition } from '../workflow/workflow.repository.js';
import { CONTINUE_RUN, END_RUN, MARK_RUNNING, READ_CLAIMED_RUN } from './claimed-run.sql.js';
import type { Run, RunError, RunStatus } from './run.entity.js';
import type { Claim } from './run-queue.repository.js';
import type { StepResult } from './run-step.entity.js';

/** A run as it was when it was claimed. */
export type ClaimedRun = Readonly<Pick<Run, 'id' | 'depth' | 'input' | 'createdAt'>> & {
  /** Those that were begun, by their positions. */
  readonly steps: readonly StepResult[];
};

/** Of a workflow as it is now: whose rights its runs have. */
export type RunningWorkflow = Readonly<Pick<Workflow, 'id' | 'version' | 'authorId' | 'origin'>>;

/** What a claim was found to be for. */
export interface ClaimedWork {
  /** Null when the run does not exist any more. */
  readonly run: ClaimedRun | null;
  /** Null when it was deleted. */
  readonly workflow: RunningWorkflow | null;
  /** What the run was accepted with; null when that does not exist. */
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
  /** As JSON has them: times are texts. */
  readonly steps: readonly (Omit<StepResult, 'dueAt'> & { readonly dueAt: string | null })[] | null;
  readonly version: number | null;
  readonly authorId: string;
  readonly installationId: string | null;
  readonly definition: PinnedDefinition['definition'] | null;
  readonly objectNames: PinnedDefinition['objectNames'];
}

/**
 * What a worker reads and stores of a run that it has claimed, each in one round trip. It looks at the claim in the same
 * statement: a worker that has lost it reads nothing and writes nothing.
 */
@Injectable()
export class ClaimedRunRepository {
  private readonly leaseSeconds: number;

  constructor(
    private readonly database: Database,
    @Inject(AUTOMATIONS_CONFIG) { runs }: AutomationsConfig,
  ) {
    this.leaseSeconds = runs.leaseSeconds;
  }

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

  /** Shows that a run is under way; does nothing when the claim is lost. */
  async markRunning({ tenantId, runId, claimId }: Claim, since: Date): Promise<void> {
    await this.database.transaction(tenantId, async (tx) => tx.issue(MARK_RUNNING, [tenantId, runId, claimId, since]));
  }

  /**
   * Stores that a run goes on.
   * @param dueAt when another worker may claim it; null keeps the claim, with its lease renewed
   * @param startedAt since when it is under way
   * @returns false when the claim is lost
   */
  continue(claim: Claim, step: StepResult | null, dueAt: Date | null, startedAt: Date): Promise<boolean> {
    return this.store(claim, CONTINUE_RUN, [dueAt, this.leaseSeconds, ...columnsOf(step), startedAt]);
  }

  /** @returns false when the claim is lost */
  end(claim: Claim, step: StepResult | null, { status, error, startedAt }: RunEnd): Promise<boolean> {
    const { code, detail } = error ?? { code: null, detail: null };
    return this.store(claim, END_RUN, [status, startedAt, ...columnsOf(step), code, detail]);
  }

  private async store(claim: Claim, sql: string, parameters: readonly unknown[]): Promise<boolean> {
    const { tenantId, runId, claimId } = claim;
    let held: Promise<unknown[]> | undefined;
    await this.database.transaction(tenantId, async (tx) => {
      // Not awaited in here, so that the commit leaves with it.
      held = tx.issueReturning(sql, [tenantId, runId, claimId, ...parameters]);
    });
    return ((await held) ?? []).length > 0;
  }
}

const toStep = ({ dueAt, ...step }: NonNullable<Row['steps']>[number]): StepResult => ({
  ...step,
  dueAt: dueAt === null ? null : new Date(dueAt),
});

function toWorkflow(id: string, row: Row): RunningWorkflow | null {
  const { version, authorId, installationId, appKey, automationKey, grantedScopes } = row;
  if (version === null) return null;
  const origin = installationId === null ? null : { installationId, appKey, automationKey, grantedScopes };
  return { id, version, authorId, origin };
}

const columnsOf = (step: StepResult | null): unknown[] =>
  step === null
    ? [null, null, null, null, null, null, null, null, null]
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
