import { PlatformError } from '@crm/contracts';
import type { TransactionOrigin } from '@crm/database';
import type { RefusedActs } from './refused-acts.js';

/**
 * Notes in the audit trail that a proof within a session was wrong: somebody may have the token and not the password.
 * @param userId whose session it is
 * @param prove rejects with INVALID_CREDENTIALS when the proof is wrong
 * @throws what the proof throws
 */
export async function notingFailedProof<T>(
  refusals: RefusedActs,
  origin: TransactionOrigin,
  userId: string,
  prove: () => Promise<T>,
): Promise<T> {
  try {
    return await prove();
  } catch (error) {
    if (error instanceof PlatformError && error.code === 'INVALID_CREDENTIALS') {
      refusals.note(origin, { action: 'proof.failed', outcome: 'failure', subject: { kind: 'user', id: userId } });
    }
    throw error;
  }
}
