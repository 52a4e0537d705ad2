import { continueTrace, markNewTraces, newSpan, newTrace, parseTraceparent, type TraceParent } from '@crm/access';
import { PlatformError } from '@crm/contracts';

/** Why work failed, as a word that has few values. */
interface Failure {
  readonly type: string;
  /** Whether the request was at fault, and the work did what it should by refusing it. */
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

/** Work that is being recorded. */
export interface Span {
  /** What the work passes on, so that what it calls is recorded below it. */
  readonly traceparent: string;
  set(name: string, value: string | number | boolean): void;
  /**
   * Notes why the work failed: by the code of a catalogued error, the code or the name of another one, or a text that is such
   * a name. Never the message: it may contain a tenant's data. A refusal of the request (a PlatformError below 500) is noted
   * and does not make the span one of the failed.
   */
  fail(reason: unknown): void;
  /** Nothing can be noted after that. */
  end(): void;
}

/** Where spans go. */
export interface Recorder {
  /** Whether a trace that begins in this process is recorded. */
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

/** Whether tracing is on. */
export const isTracing = (): boolean => recorder !== undefined;

/** Work that has arrived in this process. */
export interface Arrival {
  /** For the context of the call: what the work passes on, whether it is recorded or not. */
  readonly traceparent: string;
  /** Undefined when the work is not recorded. */
  readonly span: Span | undefined;
}

/**
 * Receives work from another process: it is recorded when the sender's part of the trace is, and when it belongs to no trace,
 * by chance, according to the sample ratio. Costs next to nothing for what is not recorded: `describe` is called for the rest
 * only.
 * @param received the sender's traceparent; anything invalid counts as none
 * @param describe a function that exists once, so that a call makes no closure
 */
export function arrive<Subject>(
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

/**
 * What an edge makes of the traceparent of a client: the same trace, recorded or not by our own chance. A stranger does not
 * decide what we record. Without tracing it stays as it is.
 */
export function sampleAnew(received: string | undefined): string | undefined {
  if (!recorder) return received;
  const parent = parseTraceparent(received);
  return parent && `00-${parent.traceId}-${parent.spanId}-${recorder.samples() ? '01' : '00'}`;
}

/**
 * Begins a part of the work in progress.
 * @param parent traceparent of the work
 * @param describe a function that exists once, so that a call makes no closure
 * @returns undefined when the work is not recorded
 */
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
export function recordedOnly(traceparent: string | undefined): string | undefined {
  return recorder && isMarkedSampled(traceparent) ? traceparent : undefined;
}

/** Does work within a span, whose end and failure are those of the work. */
export async function within<Result>(span: Span | undefined, work: () => Promise<Result>): Promise<Result> {
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

/** Of a traceparent that was made here. */
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
  /** Of this process among those of the service. */
  readonly instanceId: string;
}
