import type { SpanDescription } from '@crm/telemetry';

/** One span for a whole transaction: its statements are many and each short. @param database its name */
export const describeTransaction = (database: string): SpanDescription => ({
  name: `transaction ${database}`,
  kind: 'client',
  attributes: { 'db.system.name': 'postgresql', 'db.namespace': database, 'db.operation.name': 'transaction' },
});
