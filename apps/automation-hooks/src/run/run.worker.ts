import { randomUUID } from 'node:crypto';
import { RevocationSource } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { type Capacity, type Claimed, LOOK_AGAIN_SOON, TenantShares, Worker } from '@crm/database';
import { compileFormula } from '@crm/formula';
import { conditionTypes } from '@crm/manifest';
import { TenantDirectory } from '@crm/messaging';
import { runInSpan, startSpan } from '@crm/telemetry';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { AUTOMATIONS_CONFIG, type AutomationsConfig } from '../config.js';
import { type Action, stepKey } from '../workflow/workflow.entity.js';
import { WORKFLOW_DELETED } from '../workflow/workflow.service.js';
import { ActionService, type BegunRun } from './action.service.js';
import { ClaimedRunRepository, type RunningWorkflow } from './claimed-run.repository.js';
import type { RunError, RunStatus, StepResult } from './run.entity.js';
import { type Claim, RunQueueRepository, RunSignal } from './run-queue.repository.js';
import { delayAfter, describeRun, describeStep, isRetryable, MAX_ATTEMPTS, StepError } from './step.js';

/** Milliseconds before a run shows as running: most steps end sooner, and showing it writes the row twice. */
const SHOWN_AFTER_MS = 100;

/** Milliseconds after which a request of a run is slow: it then costs a socket, and gives its slot away. */
const SLOW_MS = 1_000;

/**
 * Shows that work is under way when it is slow.
 * @param show must not reject; the result of the work waits for it
 * @param onSlow called when it takes longer still
 */
export async function shownWhenSlow<T>(
  show: () => Promise<void>,
  work: () => Promise<T>,
  onSlow?: () => void,
): Promise<T> {
  let shown: Promise<void> | undefined;
  let timer = setTimeout(() => {
    shown = show();
    if (onSlow) timer = setTimeout(onSlow, SLOW_MS - SHOWN_AFTER_MS);
  }, SHOWN_AFTER_MS);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
    await shown;
  }
}

const APP_REVOKED = { code: 'APP_REVOKED', detail: 'The app of the workflow was revoked' } as const;

type Outcome =
  | { readonly kind: 'done'; readonly output: Readonly<Record<string, unknown>> }
  | { readonly kind: 'failed'; readonly error: RunError }
  | { readonly kind: 'later'; readonly until: Date; readonly attempts: number };

/**
 * Executes a claimed run. Each step's result is committed, so that the next claim continues there; a step that was done
 * but not committed is repeated with its idempotency key. The run keeps its accepted definition, with the current
 * rights of author or app.
 */
@Injectable()
export class RunExecutor {
  private readonly logger = new Logger(RunExecutor.name);

  constructor(
    private readonly runs: ClaimedRunRepository,
    private readonly actions: ActionService,
    private readonly tenants: TenantDirectory,
    private readonly revocations: RevocationSource,
    @Inject(AUTOMATIONS_CONFIG) private readonly config: AutomationsConfig,
  ) {}

  /**
   * @param stopping when it is aborted, the run is given back after the current step; as it is when its tenant is suspended
   * @param onSlow a request to outside takes long
   */
  async execute(claim: Claim, stopping: AbortSignal, onSlow: () => void): Promise<void> {
    if (claim.claims > this.config.runs.maxClaims) return this.abandon(claim);
    const span = startSpan(claim.traceparent ?? undefined, describeRun, claim);
    await runInSpan(span, () => this.executeWithin(span?.traceparent, claim, stopping, onSlow));
  }

  private async executeWithin(
    traceparent: string | undefined,
    claim: Claim,
    stopping: AbortSignal,
    onSlow: () => void,
  ): Promise<void> {
    const begun = await this.begin(claim, traceparent);
    if (begun && (await this.meetsCondition(claim, begun))) await this.runSteps(claim, begun, stopping, onSlow);
  }

  /** The processes that executed it died, or the outcome could not be stored, again and again. */
  private async abandon(claim: Claim): Promise<void> {
    this.logger.error({ msg: 'A run is abandoned, because no claim of it came to an outcome', runId: claim.runId });
    const detail = `It was started ${this.config.runs.maxClaims} times and never finished`;
    await this.end(claim, null, 'failed', { code: 'RUN_ABANDONED', detail }, null);
  }

  /** The work of a claim; undefined when the claim is lost or the workflow was deleted. */
  private async begin(claim: Claim, traceparent: string | undefined): Promise<BegunRun | undefined> {
    const { tenantId, runId } = claim;
    const found = await this.runs.read(claim);
    if (!found) return this.reportLost(claim);
    const { run, workflow, pinned } = found;
    if (!run) {
      this.logger.error({ msg: 'A queued run does not exist any more', runId });
      await this.end(claim, null, 'cancelled', null, null);
      return undefined;
    }
    if (!workflow) {
      await this.end(claim, null, 'cancelled', WORKFLOW_DELETED, null);
      return undefined;
    }
    if (this.isRevoked(workflow)) {
      await this.end(claim, null, 'cancelled', APP_REVOKED, null);
      return undefined;
    }
    if (!pinned) throw new Error(`The run ${runId} was accepted with a definition that does not exist`);
    return { tenantId, run, workflow, pinned, traceparent, startedAt: new Date() };
  }

  private async meetsCondition(claim: Claim, { run, pinned, startedAt }: BegunRun): Promise<boolean> {
    const { condition, trigger } = pinned.definition;
    if (condition === undefined || run.steps.length > 0) return true;
    const formula = compileFormula(condition, conditionTypes(trigger), {
      untypedNames: true,
      expected: 'boolean',
    });
    const timeZone = formula.readsClock ? (await this.tenants.get(claim.tenantId)).timeZone : undefined;
    if (formula.evaluate(run.input, { now: run.createdAt, timeZone }) === true) return true;
    await this.end(claim, null, 'skipped', null, startedAt);
    return false;
  }

  private async runSteps(claim: Claim, begun: BegunRun, stopping: AbortSignal, onSlow: () => void): Promise<void> {
    const { run, pinned, startedAt } = begun;
    const { actions } = pinned.definition;
    const done = new Map<number, StepResult>(run.steps.map((step) => [step.position, step]));
    for (const [position, action] of actions.entries()) {
      const earlier = done.get(position);
      if (earlier?.status === 'succeeded') continue;
      if (this.isRevoked(begun.workflow)) {
        await this.end(claim, null, 'cancelled', APP_REVOKED, startedAt);
        return;
      }
      if (stopping.aborted || this.revocations.isSuspended(claim.tenantId)) {
        await this.store(claim, this.runs.continue(claim, null, new Date(), startedAt));
        return;
      }
      const outcome = await shownWhenSlow(
        () => this.show(claim, startedAt),
        () => this.perform(begun, action, position, done),
        action.type === 'http_request' ? onSlow : undefined,
      );
      const step = resultOf(outcome, action, position, earlier);
      const isLast = position === actions.length - 1;
      if (!(await this.record(claim, begun, step, outcome, isLast))) return;
      done.set(position, step);
    }
    // The last step was stored by a process that ended before it could store the end of the run.
    await this.end(claim, null, 'succeeded', null, startedAt);
  }

  private isRevoked({ origin }: RunningWorkflow): boolean {
    return origin !== null && this.revocations.isAppRevoked(origin.appKey);
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
      const output = await runInSpan(span, () => this.actions.perform(traced, action, position, finished));
      return { kind: 'done', output };
    } catch (error) {
      // Whatever it failed at: it is made again when the tenant is reinstated, and no attempt counts until then. Of a revoked app
      // the run is cancelled then.
      if (this.revocations.isSuspended(begun.tenantId) || this.isRevoked(begun.workflow)) {
        return { kind: 'later', until: new Date(), attempts: earlier?.attempts ?? 0 };
      }
      const attempts = (earlier?.attempts ?? 0) + 1;
      this.logger.warn({ msg: 'A step did not succeed', runId: begun.run.id, position, attempts, err: error });
      if (isRetryable(error) && attempts < MAX_ATTEMPTS) {
        return { kind: 'later', until: new Date(Date.now() + delayAfter(error, attempts)), attempts };
      }
      return { kind: 'failed', error: describe(error) };
    }
  }

  /** Nothing depends on it: a database that is away is noticed when the outcome is stored. */
  private async show(claim: Claim, startedAt: Date): Promise<void> {
    try {
      await this.runs.markRunning(claim, startedAt);
    } catch (error) {
      this.logger.warn({
        msg: 'A run that is under way could not be shown as running',
        runId: claim.runId,
        err: error,
      });
    }
  }

  /** @returns whether the run continues with the next step */
  private async record(
    claim: Claim,
    { startedAt }: BegunRun,
    step: StepResult,
    outcome: Outcome,
    isLast: boolean,
  ): Promise<boolean> {
    if (outcome.kind === 'failed') return this.end(claim, step, 'failed', outcome.error, startedAt);
    if (outcome.kind === 'done' && isLast) return this.end(claim, step, 'succeeded', null, startedAt);
    const until = outcome.kind === 'later' ? outcome.until : null;
    const isHeld = await this.store(claim, this.runs.continue(claim, step, until, startedAt));
    return isHeld && outcome.kind === 'done';
  }

  /** @returns false: nothing follows */
  private async end(
    claim: Claim,
    step: StepResult | null,
    status: RunStatus,
    error: RunError | null,
    startedAt: Date | null,
  ): Promise<false> {
    await this.store(claim, this.runs.end(claim, step, { status, error, startedAt }));
    return false;
  }

  private async store(claim: Claim, stored: Promise<boolean>): Promise<boolean> {
    const isHeld = await stored;
    if (!isHeld) this.reportLost(claim);
    return isHeld;
  }

  private reportLost({ runId }: Claim): undefined {
    this.logger.warn({ msg: 'The claim of a run was lost to another worker, or its workflow was deleted', runId });
    return undefined;
  }
}

const resultOf = (outcome: Outcome, action: Action, position: number, earlier: StepResult | undefined): StepResult => ({
  position,
  key: stepKey(action, position),
  type: action.type,
  status: outcome.kind === 'done' ? 'succeeded' : outcome.kind === 'failed' ? 'failed' : 'running',
  attempts: outcome.kind === 'later' ? outcome.attempts : (earlier?.attempts ?? 0),
  dueAt: outcome.kind === 'later' ? outcome.until : (earlier?.dueAt ?? null),
  output: outcome.kind === 'done' ? outcome.output : null,
  errorCode: outcome.kind === 'failed' ? outcome.error.code : null,
  errorDetail: outcome.kind === 'failed' ? outcome.error.detail : null,
});

/** The error as those who can read runs may see it: what a catalogued error says, nothing of a defect. */
function describe(error: unknown): RunError {
  if (error instanceof StepError) return { code: error.code, detail: error.message };
  if (!(error instanceof PlatformError)) return { code: 'INTERNAL_ERROR', detail: 'Something went wrong on our side' };
  const values = (error.extra.errors ?? []).slice(0, 5).map(({ pointer, detail }) => `${pointer}: ${detail}`);
  return { code: error.code, detail: [error.message, ...values].join(' ').slice(0, 2000) };
}

/** Runs under way, slow ones included, for each slot: that many slow requests leave the slots to others. */
const UNDER_WAY_PER_SLOT = 8;
/** A tenant's part of what is free of them: some twenty tenants with slow endpoints leave capacity for others. */
const PART_OF_FREE = 0.25;

/**
 * Claims due runs and has them executed. At the end of the process those in progress finish their step. A run that begins
 * has its share of those under way as well as of the slots, so that it can give its slot away whenever it becomes slow.
 */
@Injectable()
export class RunWorker extends Worker<Claim> {
  private readonly inProgress: TenantShares;
  /** The tenant whose turn was last. */
  private last: string = randomUUID();

  constructor(
    private readonly queue: RunQueueRepository,
    private readonly executor: RunExecutor,
    private readonly revocations: RevocationSource,
    signal: RunSignal,
    @Inject(AUTOMATIONS_CONFIG) private readonly config: AutomationsConfig,
  ) {
    const { concurrency, pollMs } = config.runs;
    super({ slots: concurrency, longestPauseMs: pollMs, wake: signal });
    this.inProgress = new TenantShares(concurrency * UNDER_WAY_PER_SLOT, PART_OF_FREE);
  }

  protected async claim({ slots, fullTenants }: Capacity): Promise<Claimed<Claim>> {
    if (!this.revocations.ready) return LOOK_AGAIN_SOON;
    const limit = Math.min(slots, this.inProgress.free);
    if (limit === 0) return { items: [] };
    const { claims, hasWoken } = await this.queue.claim({
      limit,
      leaseSeconds: this.config.runs.leaseSeconds,
      // Runs of a suspended tenant wait until it is reinstated.
      except: [...fullTenants, ...this.inProgress.full(), ...this.revocations.suspendedTenants()],
      after: this.last,
      underWay: this.shares.counts,
    });
    // Anywhere, where nothing was found among the tenants that one claim looks at.
    this.last = claims.at(-1)?.tenantId ?? randomUUID();
    return { items: claims, isCut: hasWoken };
  }

  protected release(claims: readonly Claim[]): Promise<void> {
    return this.queue.release(claims);
  }

  protected override accepts({ tenantId }: Claim): boolean {
    if (!this.inProgress.mayBegin(tenantId)) return false;
    this.inProgress.begun(tenantId);
    return true;
  }

  protected async work(claim: Claim, stopping: AbortSignal, yieldSlot: () => void): Promise<void> {
    try {
      await this.executor.execute(claim, stopping, yieldSlot);
    } finally {
      this.inProgress.ended(claim.tenantId);
      this.wake();
    }
  }

  protected override describe({ tenantId, runId }: Claim): Record<string, unknown> {
    return { tenantId, runId };
  }
}
