import type { TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { END_PENDING_SIGN_INS } from './pending-sign-in.sql.js';

/** Sign-ins that are half done: the password, or the provider, was right, and a code, an enrolment or a page is awaited. */
@Injectable()
export class PendingSignInRepository {
  /** Ends those of a user, so that what was proven before leads to no session afterwards. */
  async endOfUser(tx: TenantTransaction, userId: string): Promise<void> {
    await tx.query(END_PENDING_SIGN_INS, [tx.tenantId, userId]);
  }
}
