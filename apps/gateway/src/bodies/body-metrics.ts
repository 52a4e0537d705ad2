import { counter, gauge } from '@crm/telemetry';

export const bodyBytes = gauge(
  'gateway_body_bytes',
  'Announced bytes of the bodies on their way, by who sends them: tenants, or without a token addresses, credentials and hooks',
  ['sender'],
);

export const refusedBodies = counter(
  'gateway_bodies_refused_total',
  'Bodies that were refused because too many bytes were on their way',
  ['sender'],
);
