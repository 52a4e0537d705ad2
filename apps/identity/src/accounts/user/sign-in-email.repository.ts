import type { NarrowTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { SignInEmail } from './sign-in-email.entity.js';
import { CLAIM_EMAIL } from './sign-in-email.sql.js';

/** The user that an address belongs to. */
export type EmailHolder = Pick<SignInEmail, 'tenantId' | 'userId'>;

@Injectable()
export class SignInEmailRepository {
  async find(tx: NarrowTransaction, email: string): Promise<EmailHolder | null> {
    return tx.repository(SignInEmail).findOne({ select: { tenantId: true, userId: true }, where: { email } });
  }

  /**
   * Reserves an address for a user unless it is taken. Waits for a transaction that is claiming the same address.
   * @returns who has the address now
   */
  async claim(tx: NarrowTransaction, email: string, claimant: EmailHolder): Promise<EmailHolder> {
    const claimed = await tx.query(CLAIM_EMAIL, [email, claimant.tenantId, claimant.userId]);
    if (claimed.length > 0) return claimant;
    const holder = await this.find(tx, email);
    if (!holder) throw new Error('The address was neither free nor taken');
    return holder;
  }
}
