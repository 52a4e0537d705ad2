import { type NarrowTransaction, secondsFromNow } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { IsNull, Not, Raw } from 'typeorm';
import { FOR_UPDATE, hasChangedOne } from '../tenant-row.js';
import { EmailClaim, type SignInEmail } from './people.entity.js';

/** Days after which an address that nobody verified is given back and its workspace closed. */
export const CLAIM_DAYS = 7;

const ALIVE = Raw((column) => `${column} > now() - interval '${CLAIM_DAYS} days'`);
const LAPSED = Raw((column) => `${column} <= now() - interval '${CLAIM_DAYS} days'`);

export type Claimant = Pick<EmailClaim, 'tenantId' | 'userId' | 'email'>;

@Injectable()
export class EmailClaimRepository {
  async insert(tx: NarrowTransaction, claim: Claimant): Promise<void> {
    await tx.repository(EmailClaim).insert(claim);
  }

  async find(tx: NarrowTransaction, userId: string): Promise<EmailClaim | null> {
    return tx.repository(EmailClaim).findOneBy({ userId, createdAt: ALIVE });
  }

  /** The claims of an address that have not lapsed, in a fixed order, so that of two who verify at once one waits. */
  async lockAll(tx: NarrowTransaction, email: string): Promise<EmailClaim[]> {
    const where = { email, createdAt: ALIVE };
    return tx.repository(EmailClaim).find({ where, order: { userId: 'ASC' }, lock: FOR_UPDATE });
  }

  /** Makes the links of earlier mails stop working. @returns false for a claim that is lost, which gets no other link */
  async replaceSecret(
    tx: NarrowTransaction,
    userId: string,
    secretHash: Buffer,
    validSeconds: number,
  ): Promise<boolean> {
    const changes = { secretHash, secretExpiresAt: secondsFromNow(validSeconds) };
    return hasChangedOne(await tx.repository(EmailClaim).update({ userId, lostAt: IsNull() }, changes));
  }

  async endOthers(tx: NarrowTransaction, email: string, userId: string): Promise<number> {
    const { affected } = await tx
      .repository(EmailClaim)
      .update({ email, userId: Not(userId), lostAt: IsNull() }, { lostAt: secondsFromNow(0), secretHash: null });
    return affected ?? 0;
  }

  /** @returns whether it was still there: it has not been verified in the meantime */
  async end(tx: NarrowTransaction, userId: string): Promise<boolean> {
    const { affected } = await tx
      .repository(EmailClaim)
      .update({ userId }, { lostAt: secondsFromNow(0), secretHash: null });
    return affected === 1;
  }

  /** @returns whether there was one */
  async delete(tx: NarrowTransaction, userId: string): Promise<boolean> {
    return hasChangedOne(await tx.repository(EmailClaim).delete({ userId }));
  }

  async listLapsed(tx: NarrowTransaction, limit: number): Promise<Claimant[]> {
    return tx.repository(EmailClaim).find({
      select: { tenantId: true, userId: true, email: true },
      where: { createdAt: LAPSED },
      order: { createdAt: 'ASC' },
      take: limit,
      lock: { mode: 'pessimistic_write', onLocked: 'skip_locked' },
    });
  }
}

export type EmailHolder = Pick<SignInEmail, 'tenantId' | 'userId'>;
