import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { newTrace } from '@crm/access';
import { hostOf, parseUrl, portOf } from '@crm/address-policy';
import { type EventEnvelope, isUuid } from '@crm/contracts';
import { EncryptionKeys } from '@crm/encryption';
import { Inject, Injectable } from '@nestjs/common';
import { AUTOMATIONS_CONFIG, type AutomationsConfig } from '../config.js';

/** Runs that may cause one another, through events, hooks or the API; a longer chain is taken for a loop. */
export const MAX_DEPTH = 5;

export const LOOP_STOPPED = {
  code: 'LOOP_STOPPED',
  detail: `Stopped after a chain of ${MAX_DEPTH} runs, which looks like a loop`,
} as const;

/**
 * Depth of the calling run in its chain. The call carries it because it crosses tenants. Inventing it gains nothing: a
 * larger depth shortens the caller's own chain.
 */
export const DEPTH_HEADER = 'workflow-depth';

/** The depth of the run that a hook call starts: 0 for a call from outside. */
export function depthOfCall(header: string | string[] | undefined): number {
  return typeof header === 'string' && /^\d{1,4}$/.test(header) ? Number(header) + 1 : 0;
}

/** The trace of an unrecorded run: its id is the trace id, so that log entries of all it causes are found. */
export const traceOf = (runId: string): string => newTrace(runId.replaceAll('-', ''));

const traceIdOf = (traceparent: string | undefined): string | undefined =>
  /^[0-9a-f]{2}-([0-9a-f]{32})-/.exec(traceparent ?? '')?.[1];

/**
 * The id of the run that caused an event; another cause is the id of no run. Older events carry the run's trace
 * instead.
 */
export function causingRun({
  causeid,
  traceparent,
}: Pick<EventEnvelope, 'causeid' | 'traceparent'>): string | undefined {
  if (isUuid(causeid)) return causeid;
  return traceIdOf(traceparent)?.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

const BLOCK_BYTES = 16;
/** Zeros by which a block of ours is known: by chance another's has them once in 2^56. */
const ZERO_BYTES = 7;

/**
 * What a request of a run tells the platform when the run calls the platform itself, with a key that someone gave it:
 * the depth, and a trace whose id is the depth, encrypted, so that the events which the call causes are known. Nobody
 * else can make such an id, and so keep a workflow from starting.
 */
@Injectable()
export class RunChain {
  private readonly keys: readonly Buffer[];
  private readonly platform: ReadonlySet<string>;

  constructor(@Inject(AUTOMATIONS_CONFIG) config: Pick<AutomationsConfig, 'encryptionKey' | 'hooks' | 'service'>) {
    const derived = EncryptionKeys.parse(config.encryptionKey).derive('automation-hooks run chain');
    this.keys = derived.map((key) => key.subarray(0, BLOCK_BYTES));
    const { baseUrl, embedApiUrl } = config.service;
    this.platform = new Set([config.hooks.baseUrl, baseUrl, embedApiUrl].map((url) => addressOf(new URL(url))));
  }

  /** Headers of a request of a run: none unless it calls this platform. Redirects are not followed. */
  headersTo(text: string, depth: number): Record<string, string> {
    const url = parseUrl(text);
    if (!url || !this.platform.has(addressOf(url))) return {};
    return { [DEPTH_HEADER]: String(depth), traceparent: newTrace(this.seal(depth)) };
  }

  /** The depth of the run whose request caused an event; undefined when none did. */
  depthOfRequest(traceparent: string | undefined): number | undefined {
    const traceId = traceIdOf(traceparent);
    if (traceId === undefined) return undefined;
    for (const key of this.keys) {
      const decipher = createDecipheriv('aes-128-ecb', key, null).setAutoPadding(false);
      const block = decipher.update(Buffer.from(traceId, 'hex'));
      if (block.subarray(0, ZERO_BYTES).every((byte) => byte === 0)) return block[ZERO_BYTES];
    }
    return undefined;
  }

  /** One block, so that it needs no mode of operation; the rest is random. */
  private seal(depth: number): string {
    const block = Buffer.concat([
      Buffer.alloc(ZERO_BYTES),
      Buffer.of(depth),
      randomBytes(BLOCK_BYTES - ZERO_BYTES - 1),
    ]);
    return createCipheriv('aes-128-ecb', this.keys[0] as Buffer, null)
      .setAutoPadding(false)
      .update(block, undefined, 'hex');
  }
}

/** Host and port, in the one spelling in which addresses are compared: `crm.example.com.` is `crm.example.com`. */
const addressOf = (url: URL): string => `${hostOf(url)}:${portOf(url)}`;
