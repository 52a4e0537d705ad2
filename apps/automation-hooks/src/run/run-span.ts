import type { SpanDescription } from '@crm/telemetry';
import type { Action } from '../workflow/workflow-definition.js';
import type { Claim } from './run-queue.repository.js';

export const describeRun = ({ runId, claims }: Claim): SpanDescription => ({
  name: 'run',
  kind: 'consumer',
  attributes: { 'crm.run.id': runId, 'crm.run.claims': claims },
});

export const describeStep = ({ type }: Action): SpanDescription => ({ name: `step ${type}`, kind: 'internal' });

/** Where it goes is the tenant's affair, and the address may have a secret in it. */
export const describeHttpRequest = (method: string): SpanDescription => ({
  name: method,
  kind: 'client',
  attributes: { 'http.request.method': method },
});
