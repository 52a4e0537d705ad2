import { continueTrace, markNewTraces, newSpan, newTrace, parseTraceparent } from '@crm/access';
import type { Recorder, Span, SpanDescription } from './span.js';

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
