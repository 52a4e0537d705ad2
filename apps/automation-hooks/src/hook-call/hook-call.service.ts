import { createHash } from 'node:crypto';
import type { CallOrigin } from '@crm/access';
import { isUuid, PlatformError } from '@crm/contracts';
import { Batches, isRefusedStatement, newId, readIdempotencyKey } from '@crm/database';
import { rateLimited } from '@crm/limits';
import { traceparentIfRecorded } from '@crm/telemetry';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { AUTOMATIONS_CONFIG, type AutomationsConfig } from '../config.js';
import { hashOfSecret } from '../hook/hook.service.js';
import { RunBacklog } from '../run/run-backlog.js';
import { RunSignal } from '../run/run-queue.repository.js';
import { type CallOutcome, type HookCall, HookCallRepository } from './hook-call.repository.js';

/** Looked up when the presented id is not a UUID, so that such a call takes the same steps as any other. */
const NO_WORKFLOW = '00000000-0000-0000-0000-000000000000';

/** All calls are of one kind: those of different tenants are stored together. */
const TOGETHER = '';

/** A call whose key another process is storing is asked again; more often than this only when that one fails each time. */
const MOST_TRIES = 3;

/** The address of a call, unverified. */
export interface Presented {
  readonly workflowId: string;
  readonly secret: string;
}

/** Accepts hook calls. Those that arrive at the same time are verified and stored by one statement. */
@Injectable()
export class HookCallService {
  private readonly logger = new Logger(HookCallService.name);
  /** Calls with a key that are under way in this process, so that their repetitions wait for the same answer. */
  private readonly keyed = new Map<string, Promise<string>>();
  /** Hooks whose use is being noted: calls that arrive meanwhile leave it to that. */
  private readonly noting = new Set<string>();
  private readonly batches = new Batches<HookCall, CallOutcome>({
    executeBatch: (calls) => this.calls.accept(calls),
    executeOne: (call) => this.acceptOne(call),
    isCausedByOneCall: isRefusedStatement,
    weightOf: ({ input }) => input.length,
  });

  constructor(
    private readonly calls: HookCallRepository,
    private readonly signal: RunSignal,
    private readonly backlog: RunBacklog,
    @Inject(AUTOMATIONS_CONFIG) private readonly config: AutomationsConfig,
  ) {}

  /**
   * Stores a run. Once this resolves the run is committed and will be executed, whichever process ends.
   * @param key starts no other run within 24 hours
   * @returns id of the run, or of the run that an earlier call with the key started
   * @throws NOT_FOUND for a wrong id or secret and a workflow that accepts no calls; RATE_LIMITED
   */
  async accept(
    presented: Presented,
    input: Readonly<Record<string, unknown>>,
    { key, depth, traceparent }: CallOrigin & { readonly key?: string; readonly depth: number },
  ): Promise<string> {
    const keyHash = key === undefined ? null : createHash('sha256').update(key).digest();
    const call = {
      ...hookOf(presented),
      runId: newId(),
      keyHash,
      depth,
      input: JSON.stringify(input),
      traceparent: traceparentIfRecorded(traceparent),
    };
    const runId = await (keyHash ? this.acceptKeyed(call, keyHash) : this.acceptNow(call));
    this.signal.signal();
    return runId;
  }

  /**
   * The answer to an unreadable call, which tells a caller without the secret nothing of the reason.
   * @param refusal the answer for a caller who knows the secret
   */
  async refusalOf(presented: Presented, refusal: unknown): Promise<unknown> {
    return (await this.calls.verify(hookOf(presented))) ? refusal : new PlatformError('NOT_FOUND');
  }

  private async acceptKeyed(call: HookCall, keyHash: Buffer): Promise<string> {
    const name = `${call.workflowId} ${call.secretHash.toString('hex')} ${keyHash.toString('hex')}`;
    const underWay = this.keyed.get(name);
    if (underWay) return underWay;
    const accepted = this.acceptNow(call).finally(() => this.keyed.delete(name));
    this.keyed.set(name, accepted);
    return accepted;
  }

  private async acceptOne(call: HookCall): Promise<CallOutcome> {
    const [outcome] = await this.calls.accept([call]);
    if (outcome && 'error' in outcome) throw outcome.error;
    return (outcome as { result: CallOutcome }).result;
  }

  private async acceptNow(call: HookCall): Promise<string> {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const { isAccepted, isUseDue, isFull, runId, retryAfterMs } = await this.batches.run(TOGETHER, call);
      if (!isAccepted) throw new PlatformError('NOT_FOUND');
      if (isUseDue) await this.noteUse(call);
      if (isFull) throw this.backlog.refusal();
      if (retryAfterMs !== null) throw this.tooMany(retryAfterMs);
      if (runId !== null) return runId;
    }
    throw new PlatformError('SERVICE_UNAVAILABLE', "Another call with this key couldn't be stored. Try again", {
      retryAfterSeconds: 1,
    });
  }

  /** Once in five minutes for a secret. What it says is for people who replace secrets; the call goes on without it. */
  private async noteUse(call: HookCall): Promise<void> {
    const { workflowId } = call;
    if (this.noting.has(workflowId)) return;
    this.noting.add(workflowId);
    try {
      await this.calls.noteUse(call);
    } catch (error) {
      this.logger.warn({ msg: 'The use of a hook was not noted; its next call tries again', workflowId, err: error });
    } finally {
      this.noting.delete(workflowId);
    }
  }

  private tooMany(retryAfterMs: number): PlatformError {
    const resetSeconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
    const state = {
      name: 'workflow',
      quota: this.config.runs.perMinute,
      windowSeconds: 60,
      remaining: 0,
      resetSeconds,
    };
    return rateLimited([state], 'The workflow has reached its limit of runs per minute');
  }
}

/**
 * The key of a call: `Idempotency-Key`, else `webhook-id`, which Standard Webhooks senders repeat with each attempt.
 * @throws MALFORMED_REQUEST when it is not 1 to 255 visible ASCII characters
 */
export function keyOf(headers: Readonly<Record<string, string | string[] | undefined>>): string | undefined {
  const name = headers['idempotency-key'] === undefined ? 'webhook-id' : 'Idempotency-Key';
  return readIdempotencyKey(headers[name.toLowerCase()]?.toString(), name);
}

const hookOf = ({ workflowId, secret }: Presented) => ({
  workflowId: isUuid(workflowId) ? workflowId.toLowerCase() : NO_WORKFLOW,
  secretHash: hashOfSecret(secret),
});
