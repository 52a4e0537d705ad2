import { PlatformError } from '@crm/contracts';
import { Database, type TenantTransaction } from '@crm/database';
import { compileFormula } from '@crm/formula';
import { conditionTypes, type ManifestTrigger } from '@crm/manifest';
import { TenantDirectory } from '@crm/messaging';
import { startSpan, within } from '@crm/tracing';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { AUTOMATIONS_CONFIG, type AutomationsConfig } from '../config.js';
import { WORKFLOW_DELETED } from '../workflow/accepted-runs.service.js';
import { WorkflowRepository } from '../workflow/workflow.repository.js';
import { type Action, stepKey } from '../workflow/workflow-definition.js';
import { ActionService, type BegunRun } from './action.service.js';
import type { RunError, RunStatus } from './run.entity.js';
import { RunRepository } from './run.repository.js';
import { type Claim, RunQueueRepository } from './run-queue.repository.js';
import { describeRun, describeStep } from './run-span.js';
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
 * stopped; a step that was done but not committed is repeated with the same idempotency key and finds what it created. What
 * it does is pinned to the definition that it was accepted with; what it may do is what the author or the app may do now.
 */
@Injectable()
export class RunExecutor {
  private readonly logger = new Logger(RunExecutor.name);
  private readonly leaseSeconds: number;
  private readonly maxClaims: number;

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
    this.maxClaims = config.runs.maxClaims;
  }

  /** @param stopping when it is aborted, the run is given back after the current step */
  async execute(claim: Claim, stopping: AbortSignal): Promise<void> {
    if (claim.claims > this.maxClaims) return this.abandon(claim);
    const span = startSpan(claim.traceparent ?? undefined, describeRun, claim);
    await within(span, () => this.executeWithin(span?.traceparent, claim, stopping));
  }

  private async executeWithin(traceparent: string | undefined, claim: Claim, stopping: AbortSignal): Promise<void> {
    const begun = await this.begin(claim, traceparent);
    if (begun && (await this.meetsCondition(claim, begun))) await this.runSteps(claim, begun, stopping);
  }

  /** The processes that executed it died, or the outcome could not be stored, again and again. */
  private async abandon(claim: Claim): Promise<void> {
    this.logger.error({ msg: 'A run is abandoned, because no claim of it came to an outcome', runId: claim.runId });
    const detail = `Its execution was begun ${this.maxClaims} times and never came to an outcome`;
    const error = { code: 'RUN_ABANDONED', detail };
    await this.whileHeld(claim, (tx) => this.finish(tx, claim.runId, 'failed', error));
  }

  /** What is to be executed; undefined when the claim is lost or the workflow was deleted. */
  private async begin(claim: Claim, traceparent: string | undefined): Promise<BegunRun | undefined> {
    const { tenantId, runId, workflowId } = claim;
    return this.database.transaction(tenantId, async (tx) => {
      const [isHeld, run, workflow] = await Promise.all([
        this.queue.renew(tx, claim, this.leaseSeconds, false),
        this.runs.find(tx, runId),
        this.workflows.find(tx, workflowId),
      ]);
      if (!isHeld) return this.reportLost(claim);
      if (!run) {
        this.logger.error({ msg: 'A queued run does not exist any more', runId });
        this.queue.remove(tx, runId);
        return undefined;
      }
      if (!workflow) {
        this.finish(tx, runId, 'cancelled', WORKFLOW_DELETED);
        return undefined;
      }
      const pinned =
        run.workflowVersion === workflow.definitionVersion
          ? workflow
          : await this.workflows.findDefinition(tx, workflowId, run.workflowVersion);
      if (!pinned) throw new Error(`The run ${runId} was accepted with a definition that does not exist`);
      if (run.status === 'queued') this.runs.start(tx, runId);
      return { tenantId, run, workflow, pinned, traceparent };
    });
  }

  private async meetsCondition(claim: Claim, { run, pinned }: BegunRun): Promise<boolean> {
    const { condition, trigger } = pinned.definition;
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

  private async runSteps(claim: Claim, begun: BegunRun, stopping: AbortSignal): Promise<void> {
    const { run, pinned } = begun;
    const { actions } = pinned.definition;
    const done = new Map<number, StepResult>(run.steps.map((step) => [step.position, step]));
    for (const [position, action] of actions.entries()) {
      const earlier = done.get(position);
      if (earlier?.status === 'succeeded') continue;
      if (stopping.aborted) {
        await this.whileHeld(claim, (tx) => this.queue.postpone(tx, run.id, new Date()));
        return;
      }
      const outcome = await this.perform(begun, action, position, done);
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
      const isLast = position === actions.length - 1;
      const continues = await this.whileHeld(claim, (tx) => this.record(tx, run.id, step, outcome, isLast));
      if (!continues) return;
      done.set(position, step);
    }
    // The last step was stored by a process that ended before it could store the end of the run.
    await this.whileHeld(claim, (tx) => this.finish(tx, run.id, 'succeeded', null));
  }

  private async perform(
    begun: BegunRun,
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
      const span = startSpan(begun.traceparent, describeStep, action);
      const traced = span ? { ...begun, traceparent: span.traceparent } : begun;
      const output = await within(span, () => this.actions.perform(traced, action, position, finished));
      return { kind: 'done', output };
    } catch (error) {
      const attempts = (earlier?.attempts ?? 0) + 1;
      this.logger.warn({ msg: 'A step did not succeed', runId: begun.run.id, position, attempts, err: error });
      if (isRetryable(error) && attempts < MAX_ATTEMPTS) {
        return { kind: 'later', until: new Date(Date.now() + STEP_BACKOFF.delayMs(attempts)), attempts };
      }
      return { kind: 'failed', error: describe(error) };
    }
  }

  /** @returns whether the run continues with the next step */
  private record(tx: TenantTransaction, runId: string, step: StepResult, outcome: Outcome, isLast: boolean): boolean {
    this.runs.storeStep(tx, runId, step);
    if (outcome.kind === 'failed') this.finish(tx, runId, 'failed', outcome.error);
    if (outcome.kind === 'later') this.queue.postpone(tx, runId, outcome.until);
    if (outcome.kind === 'done' && isLast) this.finish(tx, runId, 'succeeded', null);
    return outcome.kind === 'done' && !isLast;
  }

  private finish(tx: TenantTransaction, runId: string, status: RunStatus, error: RunError | null): void {
    this.runs.finish(tx, runId, status, error);
    this.queue.remove(tx, runId);
  }

  /**
   * Stores an outcome in a transaction that holds the claim and renews its lease; does nothing when the claim is lost. What
   * the work sends leaves together with the commit.
   */
  private async whileHeld<T>(claim: Claim, work: (tx: TenantTransaction) => T): Promise<T | undefined> {
    return this.database.transaction(claim.tenantId, async (tx) => {
      return (await this.queue.renew(tx, claim, this.leaseSeconds, true)) ? work(tx) : this.reportLost(claim);
    });
  }

  private reportLost({ runId }: Claim): undefined {
    this.logger.warn({ msg: 'The claim of a run was lost to another worker, or its workflow was deleted', runId });
    return undefined;
  }
}

/** The error as those who can read runs may see it: what a catalogued error says, nothing of a defect. */
function describe(error: unknown): RunError {
  if (error instanceof StepError) return { code: error.code, detail: error.message };
  if (!(error instanceof PlatformError)) return { code: 'INTERNAL_ERROR', detail: 'Something went wrong on our side' };
  const values = (error.extra.errors ?? []).slice(0, 5).map(({ pointer, detail }) => `${pointer}: ${detail}`);
  return { code: error.code, detail: [error.message, ...values].join(' ').slice(0, 2000) };
}
