import { randomBytes } from 'node:crypto';

/**
 * The trace of a run. Its trace id is the run's id (both have 128 bits), and every event that the run causes carries it, so
 * that a run started by such an event knows its cause.
 */
export function traceOf(runId: string): string {
  return `00-${runId.replaceAll('-', '')}-${randomBytes(8).toString('hex')}-01`;
}

/** The id of the run that caused an event, if a run did; the trace of anything else is the id of no run. Undefined without a trace. */
export function causingRun(traceparent: string | undefined): string | undefined {
  const trace = /^[0-9a-f]{2}-([0-9a-f]{32})-/.exec(traceparent ?? '')?.[1];
  return trace?.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
