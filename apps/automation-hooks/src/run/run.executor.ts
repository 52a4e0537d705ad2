import { PlatformError } from '@crm/contracts';
import { Database, type TenantTransaction } from '@crm/database';
import { compileFormula } from '@crm/formula';
import { conditionTypes, type ManifestTrigger } from '@crm/manifest';
import { TenantDirectory } from '@crm/messaging';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { AUTOMATIONS_CONFIG, type AutomationsConfig } from '../config.js';
import type { Workflow } from '../workflow/workflow.entity.js';
import { WorkflowRepository } from '../workflow/workflow.repository.js';
import { type Action, stepKey } from '../workflow/workflow-definition.js';
import { ActionService } from './action.service.js';
import type { RunError, RunStatus, RunWithSteps } from './run.entity.js';
import { RunRepository } from './run.repository.js';
import { type Claim, RunQueueRepository } from './run-queue.repository.js';
import type { StepResult } from './run-step.entity.js';
import { StepError } from './step-error.js';
import { isRetryable, MAX_ATTEMPTS, STEP_BACKOFF } from './step-retry.js';

/** How a step went. */
type Outcome =
  | { readonly kind: 'done'; readonly output: Readonly<Record<string, unknown>> }
  | { readonly kind: 'failed'; readonly error: RunError }
  | { readonly kind: 'later'; readonly until: Date; readonly attempts: number };

/**
 * Executes one claimed run. The result of each step is committed, so that a run that is claimed again continues where it
 * stopped; a step that was done but not committed is repeated with the same idempotency key and finds what it created.
 */
@Injectable()
export class RunExecutor {
  private readonly logger = new Logger(RunExecutor.name);
  private readonly leaseSeconds: number;

  constructor(
    private readonly database: Database,
    private readonly runs: RunRepository,
    private readonly queue: RunQueueRepository,
    private readonly workflows: WorkflowRepository,
    private readonly actions: ActionService,
    private readonly tenants: TenantDirectory,
    @Inject(AUTOMATIONS_CONFIG) config: AutomationsConfig,
  ) {
    this.leaseSeconds = config.runs.leaseSeconds;
  }

  /** @param stopping when it is aborted, the run is given back after the current step */
  async execute(claim: Claim, stopping: AbortSignal): Promise<void> {
    const begun = await this.begin(claim);
    if (begun && (await this.meetsCondition(claim, begun.run, begun.workflow))) {
      await this.runSteps(claim, begun.run, begun.workflow, stopping);
    }
  }

  /** The run and its workflow; undefined when the claim is lost or the workflow is no longer active. */
  private async begin(claim: Claim): Promise<{ run: RunWithSteps; workflow: Workflow } | undefined> {
    return this.whileHeld(claim, async (tx) => {
      const run = await this.runs.find(tx, claim.runId);
      if (!run) {
        this.logger.error({ msg: 'A queued run does not exist any more', runId: claim.runId });
        await this.queue.remove(tx, claim.runId);
        return undefined;
      }
      const workflow = await this.workflows.find(tx, run.workflowId);
      if (!workflow?.enabled) {
        const detail = workflow ? 'The workflow was disabled' : 'The workflow was removed';
        await this.finish(tx, run.id, 'cancelled', { code: 'WORKFLOW_NOT_ACTIVE', detail });
        return undefined;
      }
      await this.runs.start(tx, run.id);
      return { run, workflow };
    });
  }

  private async meetsCondition(claim: Claim, run: RunWithSteps, workflow: Workflow): Promise<boolean> {
    const { condition, trigger } = workflow.definition;
    if (condition === undefined || run.steps.length > 0) return true;
    const formula = compileFormula(condition, conditionTypes(trigger as ManifestTrigger), {
      untypedNames: true,
      expected: 'boolean',
    });
    const timeZone = formula.readsClock ? (await this.tenants.get(claim.tenantId)).timeZone : undefined;
    if (formula.evaluate(run.input, { now: run.createdAt, timeZone }) === true) return true;
    await this.whileHeld(claim, (tx) => this.finish(tx, run.id, 'skipped', null));
    return false;
  }

  private async runSteps(claim: Claim, run: RunWithSteps, workflow: Workflow, stopping: AbortSignal): Promise<void> {
    const done = new Map<number, StepResult>(run.steps.map((step) => [step.position, step]));
    for (const [position, action] of workflow.definition.actions.entries()) {
      const earlier = done.get(position);
      if (earlier?.status === 'succeeded') continue;
      if (stopping.aborted) {
        await this.whileHeld(claim, (tx) => this.queue.postpone(tx, run.id, new Date()));
        return;
      }
      const outcome = await this.perform(claim, run, workflow, action, position, done);
      const step: StepResult = {
        position,
        key: stepKey(action, position),
        type: action.type,
        status: outcome.kind === 'done' ? 'succeeded' : outcome.kind === 'failed' ? 'failed' : 'running',
        attempts: outcome.kind === 'later' ? outcome.attempts : (earlier?.attempts ?? 0),
        dueAt: outcome.kind === 'later' ? outcome.until : (earlier?.dueAt ?? null),
        output: outcome.kind === 'done' ? outcome.output : null,
        errorCode: outcome.kind === 'failed' ? outcome.error.code : null,
        errorDetail: outcome.kind === 'failed' ? outcome.error.detail : null,
      };
      const continues = await this.whileHeld(claim, (tx) => this.record(tx, run.id, step, outcome));
      if (!continues) return;
      done.set(position, step);
    }
    await this.whileHeld(claim, (tx) => this.finish(tx, run.id, 'succeeded', null));
  }

  private async perform(
    claim: Claim,
    run: RunWithSteps,
    workflow: Workflow,
    action: Action,
    position: number,
    steps: ReadonlyMap<number, StepResult>,
  ): Promise<Outcome> {
    const earlier = steps.get(position);
    if (action.type === 'wait') {
      const until = earlier?.dueAt ?? new Date(Date.now() + action.seconds * 1000);
      return until.getTime() <= Date.now() ? { kind: 'done', output: {} } : { kind: 'later', until, attempts: 0 };
    }
    try {
      const finished = [...steps.values()].filter((step) => step.status === 'succeeded');
      const output = await this.actions.perform(claim.tenantId, run, workflow, action, position, finished);
      return { kind: 'done', output };
    } catch (error) {
      const attempts = (earlier?.attempts ?? 0) + 1;
      this.logger.warn({ msg: 'A step did not succeed', runId: run.id, position, attempts, err: error });
      if (isRetryable(error) && attempts < MAX_ATTEMPTS) {
        return { kind: 'later', until: new Date(Date.now() + STEP_BACKOFF.delayMs(attempts)), attempts };
      }
      return { kind: 'failed', error: describe(error) };
    }
  }

  /** @returns whether the run continues with the next step */
  private async record(tx: TenantTransaction, runId: string, step: StepResult, outcome: Outcome): Promise<boolean> {
    await this.runs.storeStep(tx, runId, step);
    if (outcome.kind === 'failed') await this.finish(tx, runId, 'failed', outcome.error);
    if (outcome.kind === 'later') await this.queue.postpone(tx, runId, outcome.until);
    return outcome.kind === 'done';
  }

  private async finish(tx: TenantTransaction, runId: string, status: RunStatus, error: RunError | null): Promise<void> {
    await Promise.all([this.runs.finish(tx, runId, status, error), this.queue.remove(tx, runId)]);
  }

  /** Does the work in a transaction that holds the claim and renews its lease; does nothing when the claim is lost. */
  private async whileHeld<T>(claim: Claim, work: (tx: TenantTransaction) => Promise<T>): Promise<T | undefined> {
    return this.database.transaction(claim.tenantId, async (tx) => {
      if (await this.queue.renew(tx, claim, this.leaseSeconds)) return work(tx);
      this.logger.warn({ msg: 'The claim of a run was lost to another worker', runId: claim.runId });
      return undefined;
    });
  }
}

/** The error as those who can read runs may see it: what a catalogued error says, nothing of a defect. */
function describe(error: unknown): RunError {
  if (error instanceof StepError) return { code: error.code, detail: error.message };
  if (!(error instanceof PlatformError)) return { code: 'INTERNAL_ERROR', detail: 'Something went wrong on our side' };
  const values = (error.extra.errors ?? []).slice(0, 5).map(({ pointer, detail }) => `${pointer}: ${detail}`);
  return { code: error.code, detail: [error.message, ...values].join(' ').slice(0, 2000) };
}
