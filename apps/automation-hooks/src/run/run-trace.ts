import { randomBytes } from 'node:crypto';

/** Runs that may follow from one another through events before it is taken for a loop. */
export const MAX_DEPTH = 5;

/**
 * The trace a run works under. Its trace id is the run's id (both are 128 bits), and every event the run causes carries
 * it, so that a run started by such an event knows what it follows from.
 */
export function traceOf(runId: string): string {
  return `00-${runId.replaceAll('-', '')}-${randomBytes(8).toString('hex')}-01`;
}

/** The id of the run that caused an event, if it was a run: any other trace names no row. */
export function causingRun(traceparent: string | undefined): string | undefined {
  const trace = /^[0-9a-f]{2}-([0-9a-f]{32})-/.exec(traceparent ?? '')?.[1];
  return trace?.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
