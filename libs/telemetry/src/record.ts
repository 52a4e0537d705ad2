import { continueTrace, markNewTraces, newSpan, newTrace, parseTraceparent, type TraceParent } from '@crm/access';
import { PlatformError } from '@crm/contracts';

/** Why work failed, as a word that has few values. */
interface Failure {
  readonly type: string;
  /** True when the request was at fault, and the work did what it should by refusing it. */
  readonly isRefusal: boolean;
}

/** Names of errors and their codes, such as `TimeoutError`, `ECONNRESET` or `23505`; nothing that has a space is one. */
const WORD = /^[\w.:-]{1,64}$/;

export function failureOf(reason: unknown): Failure {
  if (reason instanceof PlatformError) return { type: reason.code, isRefusal: reason.status < 500 };
  if (typeof reason === 'string') return { type: WORD.test(reason) ? reason : 'Error', isRefusal: false };
  if (!(reason instanceof Error)) return { type: typeof reason, isRefusal: false };
  const { code } = reason as { code?: unknown };
  return { type: typeof code === 'string' && WORD.test(code) ? code : reason.name, isRefusal: false };
}

export type SpanKind = 'server' | 'client' | 'producer' | 'consumer' | 'internal';

/** What a span is when it begins. Names and attributes follow the semantic conventions; see docs/tracing.md for what stays out. */
export interface SpanDescription {
  readonly name: string;
  readonly kind: SpanKind;
  readonly attributes?: Readonly<Record<string, string | number | boolean>>;
}

export interface Span {
  /** What the work passes on, so that what it calls is recorded below it. */
  readonly traceparent: string;
  set(name: string, value: string | number | boolean): void;
  /**
   * Noted by a code or a name, never the message: it may contain a tenant's data. A refusal of the request (a
   * PlatformError below 500) is noted and does not make the span one of the failed.
   */
  fail(reason: unknown): void;
  /** Nothing can be noted after that. */
  end(): void;
}

export interface Recorder {
  /** Returns whether a trace that begins in this process is recorded. */
  samples(): boolean;
  /** @param parent undefined for the first span of a trace */
  start(description: SpanDescription, parent: TraceParent | undefined): Span;
}

/** One for the process, as are its metrics; undefined while tracing is off. */
let recorder: Recorder | undefined;

/** Turns tracing on, or with undefined off. `startTracing` calls it; tests may bring a recorder of their own. */
export function useRecorder(next: Recorder | undefined): void {
  recorder = next;
  markNewTraces(next === undefined);
}

export const isTracing = (): boolean => recorder !== undefined;

export interface Arrival {
  /** For the context of the call: what the work passes on, whether it is recorded or not. */
  readonly traceparent: string;
  /** Undefined when the work is not recorded. */
  readonly span: Span | undefined;
}

/** Recorded when the sender's part of the trace is, or by chance; `describe` is no closure, to cost next to nothing. */
export function enterTrace<Subject>(
  received: string | undefined,
  describe: (subject: Subject) => SpanDescription,
  subject: Subject,
): Arrival {
  if (!recorder) return { traceparent: continueTrace(received), span: undefined };
  const parent = parseTraceparent(received);
  const isSampled = parent ? parent.isSampled : recorder.samples();
  if (!isSampled) return { traceparent: parent ? newSpan(parent.traceId, false) : newTrace(), span: undefined };
  const span = recorder.start(describe(subject), parent);
  return { traceparent: span.traceparent, span };
}

/** An edge keeps a client's trace, sampled by our own chance: a stranger does not decide what we record. */
export function resample(received: string | undefined): string | undefined {
  if (!recorder) return received;
  const parent = parseTraceparent(received);
  return parent && `00-${parent.traceId}-${parent.spanId}-${recorder.samples() ? '01' : '00'}`;
}

/** Undefined when the work is not recorded. @param describe a function that exists once, so that a call makes no closure */
export function startSpan<Subject>(
  parent: string | undefined,
  describe: (subject: Subject) => SpanDescription,
  subject: Subject,
): Span | undefined {
  if (!recorder || !isMarkedSampled(parent)) return undefined;
  const context = parseTraceparent(parent);
  return context && recorder.start(describe(subject), context);
}

/** The traceparent if its trace is being recorded: only then is it worth storing for work that is done later. */
export function traceparentIfRecorded(traceparent: string | undefined): string | undefined {
  return recorder && isMarkedSampled(traceparent) ? traceparent : undefined;
}

/** Does work within a span, whose end and failure are those of the work. */
export async function runInSpan<Result>(span: Span | undefined, work: () => Promise<Result>): Promise<Result> {
  if (!span) return work();
  try {
    return await work();
  } catch (error) {
    span.fail(error);
    throw error;
  } finally {
    span.end();
  }
}

const isMarkedSampled = (traceparent: string | undefined): boolean => traceparent?.endsWith('-01') === true;

/** How a process records traces; read from the environment in the service's `config.ts`. */
export interface TracingConfig {
  /** Address of an OTLP receiver over HTTP, such as `http://otel-collector:4318`. */
  readonly endpoint: string;
  /** Share of the traces that begin here that are recorded, from 0 to 1. */
  readonly sampleRatio: number;
}

/** Who records: attributes of every span. */
export interface TracedService {
  readonly name: string;
  readonly version: string;
  readonly instanceId: string;
}
