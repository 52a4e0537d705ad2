import { randomFillSync } from 'node:crypto';
import type { EventEmitter } from 'node:events';

/** A request for randomness to the system costs the same for 16 bytes as for several thousand. */
const pool = Buffer.allocUnsafe(8192);
let used = pool.length;

/** Not secret, and ten times as fast as `randomBytes`. Valid until the next turn of the event loop; at most 8192 bytes. */
export function pooledRandom(length: number): Buffer {
  if (used + length > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += length;
  return pool.subarray(used - length, used);
}

const PATTERN = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

const NO_TRACE = '0'.repeat(32);
const NO_PARENT = '0'.repeat(16);

export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  /** True when the sender records the trace, so that this process does as well. */
  readonly isSampled: boolean;
}

/** Flags of traces that begin in this process; see {@link markNewTraces}. */
let newTraceFlags = '01';

/** Without tracing all are sampled, as the service that continues one decides; with it none is, as its beginning is not recorded. */
export function markNewTraces(isSampled: boolean): void {
  newTraceFlags = isSampled ? '01' : '00';
}

/** @returns undefined for anything but a valid traceparent (W3C Trace Context, section 3.2) */
export function parseTraceparent(received: string | undefined): TraceParent | undefined {
  const match = received === undefined ? null : PATTERN.exec(received);
  if (!match) return undefined;
  const [, version, traceId, spanId, flags, rest] = match as unknown as [
    string,
    string,
    string,
    string,
    string,
    string?,
  ];
  // Version ff is forbidden, an all-zero id is invalid, and version 00 has exactly four parts.
  if (version === 'ff' || traceId === NO_TRACE || spanId === NO_PARENT || (version === '00' && rest)) return undefined;
  // A later version is read as far as version 00 defines it; of its flags only "sampled" is known.
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** The caller's trace with a new span, or a new trace if the caller sent none or an invalid one. */
export function continueTrace(received: string | undefined): string {
  const parent = parseTraceparent(received);
  return parent ? newSpan(parent.traceId, parent.isSampled) : newTrace();
}

/** A trace that begins here. @param traceId 32 lower-case hexadecimal digits; by default random */
export function newTrace(traceId = pooledRandom(16).toString('hex')): string {
  return `00-${traceId}-${pooledRandom(8).toString('hex')}-${newTraceFlags}`;
}

export function newSpan(traceId: string, isSampled: boolean): string {
  return `00-${traceId}-${pooledRandom(8).toString('hex')}-${isSampled ? '01' : '00'}`;
}

/**
 * - `app`: an installed app; `userId` is the installation, or the user for whom it acts, whose roles it then has
 * - `embed`: a user of a host application, inside the embedded CRM
 * - `internal`: a service that finishes work for a user or an installation after the call that started it
 */
export interface Principal extends CallOrigin {
  readonly kind: 'user' | 'app' | 'embed' | 'internal' | 'operator';
  readonly userId: string;
  /** Empty for operators, who belong to no tenant. */
  readonly tenantId: string;
  /** The workspace that an operator is linked to: they never decide on its submissions. */
  readonly linkedTenantId?: string;
  readonly roles: readonly string[];
  readonly scopes: readonly string[];
  /** In an app's token: the user's grant or the token itself; absent for embedding, internal tokens and API keys. */
  readonly sessionId?: string;
  /** The API key with which a user or a service account (then `userId`) calls. */
  readonly apiKeyId?: string;
  readonly serviceAccount?: true;
  readonly tokenId: string;
  /** Unix time in milliseconds, taken from the token's id (a UUIDv7). */
  readonly issuedAtMs: number;
  readonly appKey?: string;
  readonly installationId?: string;
  readonly sandbox?: true;
  /** The received token, for calls made on the principal's behalf. Never log it. */
  readonly token: string;
}

/** The request that work belongs to; events and calls of other services carry it on. */
export interface CallOrigin {
  readonly requestId?: string | undefined;
  /** W3C trace context, version 00. */
  readonly traceparent?: string | undefined;
  /** The address of the client of an HTTP request, in the service that received it. */
  readonly address?: string | undefined;
  /** The client of an HTTP request sends it, and can say anything. */
  readonly userAgent?: string | null | undefined;
  /** That of the client of an HTTP request: closed, nobody waits for the answer any more. */
  readonly connection?: Pick<EventEmitter, 'once' | 'off'> | undefined;
}

/** Passed on, never ambient: `AsyncLocalStorage` would add a fifth to the processor time of a request (record 0055). */
export interface RequestContext extends CallOrigin {
  readonly requestId: string;
  /** The `X-Request-Id` of a client at an edge: it is echoed and logged, and used for nothing else. */
  readonly clientRequestId?: string | undefined;
  tenantId?: string | undefined;
  principal?: Principal;
}

/** The members by which log entries of one request are found. */
export function logMembers({
  requestId,
  tenantId,
  traceparent,
}: CallOrigin & { readonly tenantId?: string | undefined }): {
  requestId?: string | undefined;
  tenantId?: string | undefined;
  traceId?: string | undefined;
} {
  return { requestId, tenantId, traceId: traceparent?.split('-')[1] };
}
