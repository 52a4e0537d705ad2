import { pooledRandom, RevocationSource } from '@crm/access';
import { Database } from '@crm/database';
import { Inject, Injectable } from '@nestjs/common';
import { AUTOMATIONS_CONFIG, type AutomationsConfig } from '../config.js';
import { LOOP_STOPPED, MAX_DEPTH } from '../run/workflow-depth.js';
import { ACCEPT_CALLS, NOTE_HOOK_USE, SWEEP_CALL_KEYS, VERIFY_CALLS } from './hook-call.sql.js';

/** The address that a call presents. */
export interface PresentedHook {
  /** A UUID. */
  readonly workflowId: string;
  /** SHA-256 of the presented secret. */
  readonly secretHash: Buffer;
}

/** A call that can be read, and the run that it starts if it is accepted. */
export interface HookCall extends PresentedHook {
  readonly runId: string;
  /** SHA-256 of the key by which a repetition is recognised; null without one. */
  readonly keyHash: Buffer | null;
  readonly depth: number;
  /** JSON of the payload. */
  readonly input: string;
  /** Below which the run is recorded, if it is. */
  readonly traceparent: string | undefined;
}

export interface CallOutcome {
  readonly isAccepted: boolean;
  /** Whether the use of the secret has to be noted again. */
  readonly isUseDue: boolean;
  /** The run that the call started, or the one that it repeats. */
  readonly runId: string | null;
  /** Milliseconds until the workflow may start another run; null unless it has started as many as it may. */
  readonly retryAfterMs: number | null;
}

/** The statements that verify and store hook calls, each a round trip. */
@Injectable()
export class HookCallRepository {
  private readonly runsPerMinute: number;

  constructor(
    private readonly database: Database,
    private readonly revocations: RevocationSource,
    @Inject(AUTOMATIONS_CONFIG) config: AutomationsConfig,
  ) {
    this.runsPerMinute = config.runs.perMinute;
  }

  /**
   * Verifies calls and stores a run for each that is accepted. No two of them have the same workflow, secret and key.
   * @returns an outcome for each, in their order
   */
  async accept(calls: readonly HookCall[]): Promise<CallOutcome[]> {
    return this.database.crossTenantStatement<CallOutcome>(ACCEPT_CALLS, [
      ...presented(calls),
      calls.map(({ runId }) => runId),
      calls.map(({ keyHash }) => keyHash),
      calls.map(({ depth }) => depth),
      `[${calls.map(({ input }) => input).join(',')}]`,
      this.runsPerMinute,
      MAX_DEPTH,
      LOOP_STOPPED.code,
      LOOP_STOPPED.detail,
      calls.map(({ traceparent }) => traceparent ?? null),
      this.revocations.suspendedTenants(),
    ]);
  }

  /** Whether a call with this address would be accepted. Costs what accepting costs without storing. */
  async verify(hook: PresentedHook): Promise<boolean> {
    const rows = await this.database.crossTenantStatement<{ isAccepted: boolean }>(VERIFY_CALLS, [
      ...presented([hook]),
      this.revocations.suspendedTenants(),
    ]);
    return rows[0]?.isAccepted === true;
  }

  /** Notes that the secret of a hook was used. */
  async noteUse({ workflowId, secretHash }: PresentedHook): Promise<void> {
    await this.database.crossTenantStatement(NOTE_HOOK_USE, [workflowId, secretHash]);
  }

  /** @returns how many old keys were deleted, `limit` at most */
  async sweepKeys(limit: number): Promise<number> {
    const [row] = await this.database.crossTenantStatement<{ deleted: number }>(SWEEP_CALL_KEYS, [limit]);
    return row?.deleted ?? 0;
  }
}

/** The first parameters of `verified`. */
const presented = (hooks: readonly PresentedHook[]): unknown[] => [
  hooks.map(({ workflowId }) => workflowId),
  hooks.map(({ secretHash }) => secretHash),
  pooledRandom(16),
];
