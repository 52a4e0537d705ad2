import { PlatformError } from '@crm/contracts';
import type { QuotaRule, TransactionOrigin } from '@crm/database';
import type { RefusedActs } from './refused-acts.js';

/**
 * Notes in the audit trail that a quota refused the work, once per hour.
 * @param work is refused by no other limit
 * @throws what the work throws
 */
export async function notingRefusal<T>(
  refusals: RefusedActs,
  origin: TransactionOrigin,
  { name, limit }: QuotaRule,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PlatformError && error.code === 'RATE_LIMITED') {
      const subject = { kind: 'quota', id: name } as const;
      refusals.note(origin, { action: 'quota.exhausted', outcome: 'failure', subject, detail: { limit } }, 'once');
    }
    throw error;
  }
}
