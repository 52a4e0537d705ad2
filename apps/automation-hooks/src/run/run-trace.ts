import { newTrace } from '@crm/access';
import { type EventEnvelope, isUuid } from '@crm/contracts';

/**
 * The trace of a run that is not recorded below what has started it. Its trace id is the run's id (both have 128 bits), so
 * that log entries of everything that it causes are found by the run.
 */
export const traceOf = (runId: string): string => newTrace(runId.replaceAll('-', ''));

/**
 * The id of the run that caused an event, if a run did; that of another cause is the id of no run. Events from before they
 * named their cause have the run's trace. Undefined without both.
 */
export function causingRun({
  causeid,
  traceparent,
}: Pick<EventEnvelope, 'causeid' | 'traceparent'>): string | undefined {
  if (isUuid(causeid)) return causeid;
  const trace = /^[0-9a-f]{2}-([0-9a-f]{32})-/.exec(traceparent ?? '')?.[1];
  return trace?.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
