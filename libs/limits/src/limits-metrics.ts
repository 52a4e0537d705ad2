import { absentUntilSet, counter, gauge } from '@crm/telemetry';

export const isShared = absentUntilSet(
  gauge(
    'limits_shared',
    'Whether the limits of this process are counted in Redis, for all replicas together: 0 while Redis cannot be asked',
  ),
);

export const localDecisions = counter(
  'limits_local_decisions_total',
  'Operations on limits that were counted in this process because Redis could not be asked',
);
