import type { TenantTransaction } from '@crm/database';
import type { ListPage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { LessThan, Not, Raw } from 'typeorm';
import type { SessionLifetime } from '../config.js';
import { Session } from './session.entity.js';
import { DATE_PROOF, DELETE_SESSIONS_OF_USER, NOTE_PROOF, OPEN_SESSION, TOUCH_SESSION } from './session.sql.js';

/** By the clock of the database server, as all times of sessions. */
const FUTURE = Raw((column) => `${column} > now()`);

@Injectable()
export class SessionRepository {
  /** Opens a session, without a round trip; the user's expired ones go at the same time. */
  insert(
    tx: TenantTransaction,
    session: Pick<Session, 'id' | 'userId' | 'address' | 'userAgent'>,
    { idleSeconds, maxSeconds }: SessionLifetime,
  ): void {
    const { id, userId, address, userAgent } = session;
    tx.issue(OPEN_SESSION, [tx.tenantId, id, userId, address, userAgent, idleSeconds, maxSeconds]);
  }

  /**
   * Dates the proof of a new session. It costs no round trip: the statement is sent with the others and not waited for.
   * @param provenAt null when it is not known, so that the session has no recent proof
   */
  dateProof(tx: TenantTransaction, id: string, provenAt: Date | null): void {
    tx.issue(DATE_PROOF, [tx.tenantId, id, provenAt]);
  }

  /** Notes that the session was used and moves its end. @returns seconds until it ends, or null when it has ended */
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

  /**
   * Notes that the user has proven who they are.
   * @param provenAt when, if not now
   * @returns whether the session is still open
   */
  async markProven(tx: TenantTransaction, userId: string, id: string, provenAt?: Date): Promise<boolean> {
    return (await tx.query(NOTE_PROOF, [tx.tenantId, userId, id, provenAt ?? null])).length === 1;
  }

  /** From now on the user has to prove themselves again, in every session or in all but one. */
  async forgetProofs(tx: TenantTransaction, userId: string, keptId?: string): Promise<void> {
    const sessions = { tenantId: tx.tenantId, userId, ...(keptId !== undefined && { id: Not(keptId) }) };
    await tx.repository(Session).update(sessions, { provenAt: null });
  }

  /** Whether the user of the open session has proven who they are in the last seconds. */
  async wasProven(tx: TenantTransaction, userId: string, id: string, withinSeconds: number): Promise<boolean> {
    const since = Raw((column) => `${column} > now() - make_interval(secs => :withinSeconds)`, { withinSeconds });
    return tx.repository(Session).existsBy({ tenantId: tx.tenantId, userId, id, expiresAt: FUTURE, provenAt: since });
  }

  /** Open sessions of a user, the last opened first, and how many there are. */
  async listOfUser(
    tx: TenantTransaction,
    userId: string,
    page: ListPage,
  ): Promise<{ sessions: Session[]; counted: number }> {
    const open = { tenantId: tx.tenantId, userId, expiresAt: FUTURE };
    const sessions = await tx.repository(Session).find({
      where: { ...open, ...(page.after && { id: LessThan(page.after.id) }) },
      order: { id: 'DESC' },
      take: page.limit,
      skip: page.offset,
    });
    return { sessions, counted: await tx.repository(Session).countBy(open) };
  }

  /** Ends one session of the user. @returns whether there was one */
  async delete(tx: TenantTransaction, userId: string, id: string): Promise<boolean> {
    const { affected } = await tx.repository(Session).delete({ tenantId: tx.tenantId, userId, id });
    return affected === 1;
  }

  /** Ends every session of the user but one; the caller holds the user's row. @returns their ids */
  async deleteOthersOfUser(tx: TenantTransaction, userId: string, keptId: string): Promise<string[]> {
    const others = { tenantId: tx.tenantId, userId, id: Not(keptId) };
    const found = await tx.repository(Session).find({ select: { tenantId: true, id: true }, where: others });
    await tx.repository(Session).delete(others);
    return found.map(({ id }) => id);
  }

  /** Ends every session of the user. @returns their ids */
  async deleteOfUser(tx: TenantTransaction, userId: string): Promise<string[]> {
    const rows = await tx.query<{ id: string }>(DELETE_SESSIONS_OF_USER, [tx.tenantId, userId]);
    return rows.map(({ id }) => id);
  }
}
