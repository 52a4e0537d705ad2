import { Counter, Gauge, register } from 'prom-client';

// The registry accepts a name only once; a second application in the same process (tests) shares the metric.
const gauge = (name: string, help: string): Gauge<'table'> =>
  (register.getSingleMetric(name) as Gauge<'table'> | undefined) ?? new Gauge({ name, help, labelNames: ['table'] });
const counter = (name: string, help: string): Counter<'table'> =>
  (register.getSingleMetric(name) as Counter<'table'> | undefined) ??
  new Counter({ name, help, labelNames: ['table'] });

export const partitionMetrics = {
  daysAhead: gauge('partition_days_ahead', 'Days after today up to the last that has a partition'),
  defaultRows: gauge('partition_default_rows', 'Rows of days without a partition, counted up to 10,000'),
  failures: counter('partition_upkeep_failures_total', 'Steps of the upkeep of partitions that failed'),
};
