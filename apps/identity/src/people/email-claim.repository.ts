import { type NarrowTransaction, secondsFromNow } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { IsNull, Not, Raw } from 'typeorm';
import { EmailClaim } from './email-claim.entity.js';

/** Days after which an address that nobody verified is given back and its workspace closed. */
export const CLAIM_DAYS = 7;

const ALIVE = Raw((column) => `${column} > now() - interval '${CLAIM_DAYS} days'`);
const LAPSED = Raw((column) => `${column} <= now() - interval '${CLAIM_DAYS} days'`);

export interface NewClaim extends Pick<EmailClaim, 'userId' | 'tenantId' | 'email' | 'secretHash'> {
  /** Seconds for which the secret is valid. */
  validSeconds: number;
}

/** Addresses that wait to be verified. */
@Injectable()
export class EmailClaimRepository {
  async insert(tx: NarrowTransaction, { validSeconds, ...claim }: NewClaim): Promise<void> {
    await tx.repository(EmailClaim).insert({ ...claim, secretExpiresAt: secondsFromNow(validSeconds) });
  }

  /** The claim of a user, unless it has lapsed. */
  async find(tx: NarrowTransaction, userId: string): Promise<EmailClaim | null> {
    return tx.repository(EmailClaim).findOneBy({ userId, createdAt: ALIVE });
  }

  /**
   * Holds every claim of the address until the transaction ends, in one order, so that of two who verify it at the same time
   * one waits.
   * @returns the user's claim, or null when it has lapsed in the meantime
   */
  async lockAll(tx: NarrowTransaction, email: string, userId: string): Promise<EmailClaim | null> {
    const claims = await tx
      .repository(EmailClaim)
      .find({ where: { email, createdAt: ALIVE }, order: { userId: 'ASC' }, lock: { mode: 'pessimistic_write' } });
    return claims.find((claim) => claim.userId === userId) ?? null;
  }

  /** Makes the links of earlier mails stop working. */
  async replaceSecret(tx: NarrowTransaction, userId: string, secretHash: Buffer, validSeconds: number): Promise<void> {
    await tx.repository(EmailClaim).update({ userId }, { secretHash, secretExpiresAt: secondsFromNow(validSeconds) });
  }

  /**
   * Ends the claims of everybody else.
   * @returns how many ended
   */
  async endOthers(tx: NarrowTransaction, email: string, userId: string): Promise<number> {
    const { affected } = await tx
      .repository(EmailClaim)
      .update({ email, userId: Not(userId), lostAt: IsNull() }, { lostAt: secondsFromNow(0), secretHash: null });
    return affected ?? 0;
  }

  /**
   * Ends a claim whose time is over.
   * @returns whether it was still there: it has not been verified in the meantime
   */
  async end(tx: NarrowTransaction, userId: string): Promise<boolean> {
    const { affected } = await tx
      .repository(EmailClaim)
      .update({ userId }, { lostAt: secondsFromNow(0), secretHash: null });
    return affected === 1;
  }

  async delete(tx: NarrowTransaction, userId: string): Promise<void> {
    await tx.repository(EmailClaim).delete({ userId });
  }

  /** Claims whose time is over, oldest first. */
  async listLapsed(tx: NarrowTransaction, limit: number): Promise<Pick<EmailClaim, 'tenantId' | 'userId'>[]> {
    return tx.repository(EmailClaim).find({
      select: { tenantId: true, userId: true },
      where: { createdAt: LAPSED },
      order: { createdAt: 'ASC' },
      take: limit,
      lock: { mode: 'pessimistic_write', onLocked: 'skip_locked' },
    });
  }
}
