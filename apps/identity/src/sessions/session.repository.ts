import type { TenantTransaction } from '@crm/database';
import type { ListPage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { Not, Raw } from 'typeorm';
import type { SessionLifetime } from '../config.js';
import { type Page, pageById } from '../pages.js';
import { FUTURE, hasChangedOne } from '../tenant-row.js';
import { Session } from './sessions.entity.js';

/**
 * Opens a session; the user's expired ones go at the same time. $1: tenant, $2: session, $3: user, $4: address, $5: user agent,
 * $6: seconds after which it ends unless it is used, $7: seconds after which it ends for good, $8: whether the proof is the person's.
 */
export const OPEN_SESSION = `
  WITH expired AS (DELETE FROM session WHERE tenant_id = $1 AND user_id = $3 AND expires_at < now())
  INSERT INTO session (tenant_id, id, user_id, address, user_agent, expires_at, ends_at, proven_at, person_proven)
  VALUES ($1, $2, $3, $4, $5, now() + make_interval(secs => LEAST($6::float8, $7::float8)),
    now() + make_interval(secs => $7::float8), now(), $8)`;

/**
 * Dates a proof that was made elsewhere, no later than the session. $1: tenant, $2: session, $3: when, or null, $4: when the
 * session of that proof ends for good, and this one with it; null for none.
 */
export const DATE_PROOF = `
  UPDATE session SET proven_at = CASE WHEN $3::timestamptz IS NOT NULL THEN LEAST($3::timestamptz, now()) END,
    ends_at = LEAST(ends_at, $4::timestamptz), expires_at = LEAST(expires_at, $4::timestamptz)
   WHERE tenant_id = $1 AND id = $2`;

/**
 * Notes a proof at an open session; an earlier one is not taken back by it. Gives no row for a session that ended. $1: tenant,
 * $2: user, $3: session, $4: when the proof was made; null when it was just made.
 */
export const NOTE_PROOF = `
  UPDATE session SET proven_at = GREATEST(proven_at, LEAST($4::timestamptz, now()))
   WHERE tenant_id = $1 AND user_id = $2 AND id = $3 AND expires_at > now()
  RETURNING id`;

/** $1: tenant, $2: user. */
export const DELETE_SESSIONS_OF_USER = 'DELETE FROM session WHERE tenant_id = $1 AND user_id = $2 RETURNING id';

/**
 * Notes where an open session was used and moves its end, at most to where it ends for good. Gives no row for one that ended.
 * $1: tenant, $2: session, $3: seconds after which it ends unless it is used, $4: address, $5: user agent.
 */
export const TOUCH_SESSION = `
  UPDATE session SET last_used_at = now(), last_address = $4, user_agent = COALESCE($5, user_agent),
    expires_at = LEAST(now() + make_interval(secs => $3), ends_at)
   WHERE tenant_id = $1 AND id = $2 AND expires_at > now()
  RETURNING floor(extract(epoch FROM expires_at - now()))::integer AS "remainingSeconds"`;

/**
 * Also those of which there is no row, because what they proved is just being looked at: they open no session in another epoch.
 * A change of address that waits for its confirmation ends too: the one who asked for it can be the one who is shut out.
 * The account is locked before the rows, as by an enrolment. $1: tenant, $2: user, or operator in the platform's tenant.
 */
export const END_PENDING_SIGN_INS = `
  WITH users AS (
    UPDATE app_user SET sign_in_epoch = sign_in_epoch + 1 WHERE tenant_id = $1 AND id = $2 RETURNING id),
  operators AS (
    UPDATE operator SET sign_in_epoch = sign_in_epoch + 1 WHERE tenant_id = $1 AND id = $2 RETURNING id),
  holder AS (SELECT id FROM users UNION ALL SELECT id FROM operators),
  at_provider AS (
    DELETE FROM provider_sign_in WHERE tenant_id = $1 AND user_id = $2 AND EXISTS (SELECT 1 FROM holder)),
  address_changes AS (
    DELETE FROM email_change
     WHERE tenant_id = $1 AND user_id = $2 AND confirmed_at IS NULL AND EXISTS (SELECT 1 FROM holder))
  DELETE FROM mfa_challenge WHERE tenant_id = $1 AND user_id = $2 AND EXISTS (SELECT 1 FROM holder)`;

@Injectable()
export class SessionRepository {
  insert(
    tx: TenantTransaction,
    session: Pick<Session, 'id' | 'userId' | 'address' | 'userAgent' | 'personProven'>,
    { idleSeconds, maxSeconds }: SessionLifetime,
  ): void {
    const { id, userId, address, userAgent, personProven } = session;
    tx.issue(OPEN_SESSION, [tx.tenantId, id, userId, address, userAgent, idleSeconds, maxSeconds, personProven]);
  }

  /** Sent with the other statements, not waited for. @param provenAt null when it is not known */
  dateProof(tx: TenantTransaction, id: string, provenAt: Date | null, endsAt?: Date): void {
    tx.issue(DATE_PROOF, [tx.tenantId, id, provenAt, endsAt ?? null]);
  }

  async find(tx: TenantTransaction, userId: string, id: string): Promise<Session | null> {
    return tx.repository(Session).findOneBy({ tenantId: tx.tenantId, userId, id, expiresAt: FUTURE });
  }

  async touch(
    tx: TenantTransaction,
    id: string,
    idleSeconds: number,
    origin: Pick<Session, 'address' | 'userAgent'>,
  ): Promise<number | null> {
    const parameters = [tx.tenantId, id, idleSeconds, origin.address, origin.userAgent];
    const [touched] = await tx.queryPrepared<{ remainingSeconds: number }>(TOUCH_SESSION, parameters);
    return touched?.remainingSeconds ?? null;
  }

  /** @param provenAt when, if not now @returns whether the session is still open */
  async markProven(tx: TenantTransaction, userId: string, id: string, provenAt?: Date): Promise<boolean> {
    return (await tx.query(NOTE_PROOF, [tx.tenantId, userId, id, provenAt ?? null])).length === 1;
  }

  async forgetProofs(tx: TenantTransaction, userId: string, keptId?: string): Promise<void> {
    const sessions = { tenantId: tx.tenantId, userId, ...(keptId !== undefined && { id: Not(keptId) }) };
    await tx.repository(Session).update(sessions, { provenAt: null });
  }

  async wasProven(tx: TenantTransaction, userId: string, id: string, withinSeconds: number): Promise<boolean> {
    const since = Raw((column) => `${column} > now() - make_interval(secs => :withinSeconds)`, { withinSeconds });
    return tx.repository(Session).existsBy({ tenantId: tx.tenantId, userId, id, expiresAt: FUTURE, provenAt: since });
  }

  async listOfUser(tx: TenantTransaction, userId: string, page: ListPage): Promise<Page<Session>> {
    return pageById(tx.repository(Session), 'DESC', { tenantId: tx.tenantId, userId, expiresAt: FUTURE }, page);
  }

  async delete(tx: TenantTransaction, userId: string, id: string): Promise<boolean> {
    return hasChangedOne(await tx.repository(Session).delete({ tenantId: tx.tenantId, userId, id }));
  }

  async deleteOthersOfUser(tx: TenantTransaction, userId: string, keptId: string): Promise<string[]> {
    const others = { tenantId: tx.tenantId, userId, id: Not(keptId) };
    const found = await tx.repository(Session).find({ select: { tenantId: true, id: true }, where: others });
    await tx.repository(Session).delete(others);
    return found.map(({ id }) => id);
  }

  async deleteOfUser(tx: TenantTransaction, userId: string): Promise<string[]> {
    const rows = await tx.query<{ id: string }>(DELETE_SESSIONS_OF_USER, [tx.tenantId, userId]);
    return rows.map(({ id }) => id);
  }

  /** Ends sign-ins that are half done, so that what was proven before leads to no session afterwards. */
  async endPendingSignIns(tx: TenantTransaction, userId: string): Promise<void> {
    await tx.query(END_PENDING_SIGN_INS, [tx.tenantId, userId]);
  }
}
