import { counter } from '@crm/telemetry';

export const exchanges = counter(
  'gateway_api_key_exchanges_total',
  'API keys for which identity was asked, by the outcome: accepted, refused, or failed without an answer',
  ['outcome'],
);
