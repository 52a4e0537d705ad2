import { createHash } from 'node:crypto';

/**
 * The id of a step of a run, the same for every worker that executes it: a version 8 UUID (RFC 9562, section 5.8) of both.
 * @param position of the step in the workflow, from 0
 */
export function stepId(runId: string, position: number): string {
  const hex = createHash('sha256').update(`${runId}/${position}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
