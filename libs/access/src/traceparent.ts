import { pooledRandom } from './random.js';

const PATTERN = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

const NO_TRACE = '0'.repeat(32);
const NO_PARENT = '0'.repeat(16);

/** The parts of a traceparent. */
export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  /** Whether the sender records the trace, so that this process does as well. */
  readonly isSampled: boolean;
}

/** Flags of traces that begin in this process; see {@link markNewTraces}. */
let newTraceFlags = '01';

/**
 * Whether a trace that begins here without a span is marked as sampled. Without tracing all are: whoever continues one
 * decides alone. With tracing none is, because its beginning is recorded nowhere.
 */
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
  // Of a later version, the part defined by version 00 is read; of its flags only "sampled" is known.
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/**
 * The trace context for this call: the caller's trace with a new span, or a new trace if the caller sent none or an
 * invalid one.
 */
export function continueTrace(received: string | undefined): string {
  const parent = parseTraceparent(received);
  return parent ? newSpan(parent.traceId, parent.isSampled) : newTrace();
}

/** A trace that begins here. @param traceId 32 lower-case hexadecimal digits; by default random */
export function newTrace(traceId = pooledRandom(16).toString('hex')): string {
  return `00-${traceId}-${pooledRandom(8).toString('hex')}-${newTraceFlags}`;
}

/** A new span of a trace. */
export function newSpan(traceId: string, isSampled: boolean): string {
  return `00-${traceId}-${pooledRandom(8).toString('hex')}-${isSampled ? '01' : '00'}`;
}
