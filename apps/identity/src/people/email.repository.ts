import { type Database, type NarrowTransaction, secondsFromNow } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { In, IsNull, Not, Raw } from 'typeorm';
import { FOR_UPDATE } from '../tenant-row.js';
import { EmailClaim, SignInEmail } from './people.entity.js';

/** Days after which an address that nobody verified is given back and its workspace closed. */
export const CLAIM_DAYS = 7;

const ALIVE = Raw((column) => `${column} > now() - interval '${CLAIM_DAYS} days'`);
const LAPSED = Raw((column) => `${column} <= now() - interval '${CLAIM_DAYS} days'`);

export type Claimant = Pick<EmailClaim, 'tenantId' | 'userId' | 'email' | 'passwordKey'>;

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

  /** Makes the links of earlier mails stop working. */
  async replaceSecret(tx: NarrowTransaction, userId: string, secretHash: Buffer, validSeconds: number): Promise<void> {
    await tx.repository(EmailClaim).update({ userId }, { secretHash, secretExpiresAt: secondsFromNow(validSeconds) });
  }

  /** So that a new password finds the claim. */
  async replaceKey(tx: NarrowTransaction, userId: string, passwordKey: Buffer): Promise<void> {
    await tx.repository(EmailClaim).update({ userId }, { passwordKey });
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

/** The user whom an address belongs to. $1: address. */
export const FIND_SIGN_IN_HOLDER = `
  SELECT tenant_id AS "tenantId", user_id AS "userId" FROM sign_in_email WHERE email = $1 AND reserved_until IS NULL`;

const claimWhere = (condition: string) => `
  SELECT tenant_id AS "tenantId", user_id AS "userId" FROM email_claim
   WHERE email = $1 AND ${condition} AND lost_at IS NULL AND created_at > now() - interval '${CLAIM_DAYS} days'
   ORDER BY created_at DESC LIMIT 1`;

/** The newest claim of an address that was made with a password. $1: address, $2: password key. */
export const FIND_CLAIM_BY_PASSWORD = claimWhere('password_key = $2');

/** $1: address, $2: user. */
export const FIND_CLAIM_OF_USER = claimWhere('user_id = $2');

export type EmailHolder = Pick<SignInEmail, 'tenantId' | 'userId'>;

export interface ClaimedEmail extends EmailHolder {
  /** Whether the holder has given it up: they do not sign in with it, and nobody is to be taken for them by it. */
  isReserved: boolean;
}

@Injectable()
export class SignInEmailRepository {
  /** In a separate transaction and one round trip, like the next two. */
  async findHolder(database: Database, email: string): Promise<EmailHolder | undefined> {
    return (await database.crossTenantStatement<EmailHolder>(FIND_SIGN_IN_HOLDER, [email]))[0];
  }

  async findClaimByPassword(database: Database, email: string, key: Buffer): Promise<EmailHolder | undefined> {
    return (await database.crossTenantStatement<EmailHolder>(FIND_CLAIM_BY_PASSWORD, [email, key]))[0];
  }

  async findClaimOf(database: Database, email: string, userId: string): Promise<EmailHolder | undefined> {
    return (await database.crossTenantStatement<EmailHolder>(FIND_CLAIM_OF_USER, [email, userId]))[0];
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
  async reserve(tx: NarrowTransaction, email: string, holder: EmailHolder, seconds: number): Promise<void> {
    const { tenantId, userId } = holder;
    await tx.repository(SignInEmail).update({ email, tenantId, userId }, { reservedUntil: secondsFromNow(seconds) });
  }

  async release(tx: NarrowTransaction, emails: readonly string[], { tenantId, userId }: EmailHolder): Promise<void> {
    await tx.repository(SignInEmail).delete({ email: In([...emails]), tenantId, userId });
  }
}
