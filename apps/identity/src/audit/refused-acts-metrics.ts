import { counter } from '@crm/telemetry';

export const refusedActs = counter(
  'audit_refused_acts_total',
  'Refused acts, such as failed sign-ins, by whether the audit trail has them: recorded, repeated too often to be recorded, or lost',
  ['outcome'],
);
