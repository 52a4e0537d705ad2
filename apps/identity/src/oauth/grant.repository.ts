import { secondsFromNow, type TenantTransaction } from '@crm/database';
import type { ListPage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { LessThan, Raw } from 'typeorm';
import type { SessionLifetime } from '../config.js';
import { AuthorizationCode } from './authorization-code.entity.js';
import { Grant } from './grant.entity.js';
import { DELETE_GRANT, DELETE_GRANTS_OF_USER, TOUCH_GRANT } from './grant.sql.js';

/** By the clock of the database server. */
const FUTURE = Raw((column) => `${column} > now()`);

export type NewGrant = Pick<Grant, 'id' | 'installationId' | 'appKey' | 'appName' | 'publisher' | 'userId' | 'scopes'>;

/** Whose grant it is or was. */
export type EndedGrant = Pick<Grant, 'userId' | 'appKey' | 'installationId'>;

/** What apps may do for users. With a grant go its refresh tokens. */
@Injectable()
export class GrantRepository {
  async insert(tx: TenantTransaction, grant: NewGrant, { idleSeconds, maxSeconds }: SessionLifetime): Promise<void> {
    await tx.repository(Grant).insert({
      ...grant,
      expiresAt: secondsFromNow(Math.min(idleSeconds, maxSeconds)),
      endsAt: secondsFromNow(maxSeconds),
    });
  }

  /** One that has not ended. */
  async find(tx: TenantTransaction, id: string): Promise<Grant | null> {
    return tx.repository(Grant).findOneBy({ tenantId: tx.tenantId, id, expiresAt: FUTURE });
  }

  /** Like find, and holds it until the transaction ends, so that exchanges of its refresh tokens follow each other. */
  async lock(tx: TenantTransaction, id: string): Promise<Grant | null> {
    const where = { tenantId: tx.tenantId, id, expiresAt: FUTURE };
    return tx.repository(Grant).findOne({ where, lock: { mode: 'pessimistic_write' } });
  }

  /** @returns seconds until it ends, or null when it has ended */
  async touch(tx: TenantTransaction, id: string, idleSeconds: number): Promise<number | null> {
    const [touched] = await tx.query<{ remainingSeconds: number }>(TOUCH_GRANT, [tx.tenantId, id, idleSeconds]);
    return touched?.remainingSeconds ?? null;
  }

  /** The caller holds the grant. */
  async setScopes(tx: TenantTransaction, id: string, scopes: string[]): Promise<void> {
    await tx.repository(Grant).update({ tenantId: tx.tenantId, id }, { scopes });
  }

  /** Newest first, and how many there are. */
  async listOfUser(
    tx: TenantTransaction,
    userId: string,
    page: ListPage,
  ): Promise<{ grants: Grant[]; counted: number }> {
    const open = { tenantId: tx.tenantId, userId, expiresAt: FUTURE };
    const grants = await tx.repository(Grant).find({
      where: { ...open, ...(page.after && { id: LessThan(page.after.id) }) },
      order: { id: 'DESC' },
      take: page.limit,
      skip: page.offset,
    });
    return { grants, counted: await tx.repository(Grant).countBy(open) };
  }

  /**
   * @param userId only if it is this user's
   * @returns what it was, or null when there was none
   */
  async delete(tx: TenantTransaction, id: string, userId?: string): Promise<EndedGrant | null> {
    const [ended] = await tx.query<EndedGrant>(DELETE_GRANT, [tx.tenantId, id, userId ?? null]);
    return ended ?? null;
  }

  /** Also what was approved and not exchanged. @returns the ids of the grants */
  async deleteOfUser(tx: TenantTransaction, userId: string): Promise<string[]> {
    await tx.repository(AuthorizationCode).delete({ tenantId: tx.tenantId, userId });
    const rows = await tx.query<{ id: string }>(DELETE_GRANTS_OF_USER, [tx.tenantId, userId]);
    return rows.map(({ id }) => id);
  }

  /** Also what was approved and not exchanged. */
  async deleteOfInstallation(tx: TenantTransaction, installationId: string): Promise<void> {
    await tx.repository(AuthorizationCode).delete({ tenantId: tx.tenantId, installationId });
    await tx.repository(Grant).delete({ tenantId: tx.tenantId, installationId });
  }
}
