import { counter, gauge } from '@crm/telemetry';

export const openUpstreams = gauge(
  'gateway_upstream_open',
  'Whether calls of a service are refused because it has not answered the last ones: 1 while they are',
  ['upstream'],
);

export const refusedCalls = counter(
  'gateway_upstream_refusals_total',
  'Calls that were refused because their service had not answered the ones before',
  ['upstream'],
);
