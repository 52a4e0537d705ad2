import type { NarrowTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';

/** Whom an address belongs to. */
export interface EmailHolder {
  tenantId: string;
  userId: string;
}

/** Which user signs in with an address. An address has one user on the whole platform. */
@Injectable()
export class SignInEmailRepository {
  async find(tx: NarrowTransaction, email: string): Promise<EmailHolder | null> {
    const [row] = await tx.query<EmailHolder>(
      'SELECT tenant_id AS "tenantId", user_id AS "userId" FROM sign_in_email WHERE email = $1',
      [email],
    );
    return row ?? null;
  }

  /**
   * Reserves an address for a user, unless somebody has it. Waits for a transaction that is claiming the same address.
   * @returns who has the address now
   */
  async claim(tx: NarrowTransaction, email: string, claimant: EmailHolder): Promise<EmailHolder> {
    const claimed = await tx.query(
      `INSERT INTO sign_in_email (email, tenant_id, user_id) VALUES ($1, $2, $3)
       ON CONFLICT (email) DO NOTHING RETURNING email`,
      [email, claimant.tenantId, claimant.userId],
    );
    if (claimed.length > 0) return claimant;
    const holder = await this.find(tx, email);
    if (!holder) throw new Error('An address was neither free nor taken');
    return holder;
  }
}
