import type { PlatformError } from '@crm/contracts';
import { counter } from '@crm/telemetry';

export const refusals = counter(
  'rate_limit_refusals_total',
  'Requests answered with RATE_LIMITED, by the limit; "other" for limits that the answer does not name',
  ['limit'],
);

/** Counts a refusal by the limit that is exhausted, which is the last of those that were applied. */
export function countRefusal(error: PlatformError): void {
  if (error.code === 'RATE_LIMITED') refusals.inc({ limit: error.extra.limits?.at(-1)?.name ?? 'other' });
}
