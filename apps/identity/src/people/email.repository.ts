import { type Database, type NarrowTransaction, secondsFromNow } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { In, IsNull, Not, Raw } from 'typeorm';
import { EmailClaim, SignInEmail } from './people.entity.js';

/** Days after which an address that nobody verified is given back and its workspace closed. */
export const CLAIM_DAYS = 7;

const ALIVE = Raw((column) => `${column} > now() - interval '${CLAIM_DAYS} days'`);
const LAPSED = Raw((column) => `${column} <= now() - interval '${CLAIM_DAYS} days'`);

export interface NewClaim extends Pick<EmailClaim, 'userId' | 'tenantId' | 'email' | 'secretHash'> {
  validSeconds: number;
}

@Injectable()
export class EmailClaimRepository {
  async insert(tx: NarrowTransaction, { validSeconds, ...claim }: NewClaim): Promise<void> {
    await tx.repository(EmailClaim).insert({ ...claim, secretExpiresAt: secondsFromNow(validSeconds) });
  }

  async find(tx: NarrowTransaction, userId: string): Promise<EmailClaim | null> {
    return tx.repository(EmailClaim).findOneBy({ userId, createdAt: ALIVE });
  }

  /** In one order, so that of two who verify at once one waits. @returns the user's claim, unless it has lapsed */
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

  async delete(tx: NarrowTransaction, userId: string): Promise<void> {
    await tx.repository(EmailClaim).delete({ userId });
  }

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

/** Waits for a transaction that is claiming the same address. $1: address, $2: tenant, $3: user. */
export const CLAIM_EMAIL = `
  INSERT INTO sign_in_email (email, tenant_id, user_id) VALUES ($1, $2, $3)
  ON CONFLICT (email) DO NOTHING RETURNING email`;

/**
 * Who may sign in with an address: the user whom it belongs to, then the newest of those who registered with it in the last days and
 * have not verified it. $1: address, $2: days that a claim lives, $3: most claims.
 */
export const LIST_SIGN_IN_CANDIDATES = `
  (SELECT tenant_id AS "tenantId", user_id AS "userId", true AS "isHolder" FROM sign_in_email
    WHERE email = $1 AND reserved_until IS NULL)
  UNION ALL
  (SELECT tenant_id, user_id, false FROM email_claim
    WHERE email = $1 AND lost_at IS NULL AND created_at > now() - make_interval(days => $2::int)
    ORDER BY created_at DESC LIMIT $3::int)`;

export type EmailHolder = Pick<SignInEmail, 'tenantId' | 'userId'>;

export interface SignInCandidate extends EmailHolder {
  /** Whether the address is theirs; otherwise they have not verified it yet. */
  isHolder: boolean;
}

export interface ClaimedEmail extends EmailHolder {
  /** Whether the holder has given it up: they do not sign in with it, and nobody is to be taken for them by it. */
  isReserved: boolean;
}

/** Unverified claims of one address that can sign in at a time, the newest: each costs a sign-in another hash. */
const SIGNING_IN = 3;

@Injectable()
export class SignInEmailRepository {
  /** Who may sign in with the address, the holder first; in a transaction of its own and one round trip. */
  async listCandidates(database: Database, email: string): Promise<SignInCandidate[]> {
    return database.crossTenantStatement<SignInCandidate>(LIST_SIGN_IN_CANDIDATES, [email, CLAIM_DAYS, SIGNING_IN]);
  }

  async find(tx: NarrowTransaction, email: string): Promise<EmailHolder | null> {
    const where = { email, reservedUntil: IsNull() };
    return tx.repository(SignInEmail).findOne({ select: { tenantId: true, userId: true }, where });
  }

  async claim(tx: NarrowTransaction, email: string, claimant: EmailHolder): Promise<ClaimedEmail> {
    const claimed = await tx.query(CLAIM_EMAIL, [email, claimant.tenantId, claimant.userId]);
    if (claimed.length > 0) return { ...claimant, isReserved: false };
    const holder = await tx
      .repository(SignInEmail)
      .findOne({ select: { tenantId: true, userId: true, reservedUntil: true }, where: { email } });
    if (!holder) throw new Error('The address was neither free nor taken');
    const { tenantId, userId, reservedUntil } = holder;
    return { tenantId, userId, isReserved: reservedUntil !== null };
  }

  async activate(tx: NarrowTransaction, email: string, { tenantId, userId }: EmailHolder): Promise<void> {
    await tx.repository(SignInEmail).update({ email, tenantId, userId }, { reservedUntil: null });
  }

  /** The holder can no longer sign in with the address; for so long nobody else can claim it. */
  async reserve(
    tx: NarrowTransaction,
    email: string,
    { tenantId, userId }: EmailHolder,
    seconds: number,
  ): Promise<void> {
    await tx.repository(SignInEmail).update({ email, tenantId, userId }, { reservedUntil: secondsFromNow(seconds) });
  }

  async release(tx: NarrowTransaction, emails: readonly string[], { tenantId, userId }: EmailHolder): Promise<void> {
    await tx.repository(SignInEmail).delete({ email: In([...emails]), tenantId, userId });
  }
}
