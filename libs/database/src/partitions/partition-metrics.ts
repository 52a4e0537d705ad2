import { counter, gauge } from '@crm/telemetry';

export const partitionMetrics = {
  daysAhead: gauge('partition_days_ahead', 'Days after today up to the last that has a partition', ['table']),
  defaultRows: gauge('partition_default_rows', 'Rows of days without a partition, counted up to 10,000', ['table']),
  failures: counter('partition_upkeep_failures_total', 'Steps of the upkeep of partitions that failed', ['table']),
};
