import { type NarrowTransaction, secondsFromNow, type TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { IsNull, MoreThanOrEqual, Not, Raw } from 'typeorm';
import { EmailChange } from './email-change.entity.js';

export interface NewEmailChange extends Pick<EmailChange, 'id' | 'userId' | 'oldEmail' | 'newEmail' | 'secretHash'> {
  validSeconds: number;
}

const FUTURE = Raw((column) => `${column} > now()`);

@Injectable()
export class EmailChangeRepository {
  /** Adds a change; it replaces those of the user that were not confirmed. */
  async replacePending(tx: TenantTransaction, { validSeconds, ...change }: NewEmailChange): Promise<void> {
    const changes = tx.repository(EmailChange);
    await changes.delete({ tenantId: tx.tenantId, userId: change.userId, confirmedAt: IsNull() });
    await changes.insert({ ...change, expiresAt: secondsFromNow(validSeconds) });
  }

  /** @returns null for one that has expired */
  async find(tx: TenantTransaction, id: string): Promise<EmailChange | null> {
    return tx.repository(EmailChange).findOneBy({ tenantId: tx.tenantId, id, expiresAt: FUTURE });
  }

  /** Whose change it is, by the narrow role in the context of the tenant. @returns null for one that has expired */
  async findUserOf(tx: NarrowTransaction, tenantId: string, id: string): Promise<string | null> {
    const where = { tenantId, id, expiresAt: FUTURE };
    const found = await tx
      .repository(EmailChange)
      .findOne({ select: { tenantId: true, id: true, userId: true }, where });
    return found?.userId ?? null;
  }

  /** Like find, by the narrow role in the context of the tenant, and holds the row until the transaction ends. */
  async lock(tx: NarrowTransaction, tenantId: string, id: string): Promise<EmailChange | null> {
    return tx
      .repository(EmailChange)
      .findOne({ where: { tenantId, id, expiresAt: FUTURE }, lock: { mode: 'pessimistic_write' } });
  }

  async confirm(
    tx: NarrowTransaction,
    { tenantId, id }: EmailChange,
    undoHash: Buffer,
    undoSeconds: number,
  ): Promise<void> {
    await tx
      .repository(EmailChange)
      .update({ tenantId, id }, { undoHash, confirmedAt: secondsFromNow(0), expiresAt: secondsFromNow(undoSeconds) });
  }

  /** Takes away a change and every later one of the user. @returns the addresses that they had brought */
  async deleteSince(tx: NarrowTransaction, { tenantId, userId, id }: EmailChange): Promise<string[]> {
    const changes = tx.repository(EmailChange);
    const since = { tenantId, userId, id: MoreThanOrEqual(id) };
    const confirmed = await changes.findBy({ ...since, confirmedAt: Not(IsNull()) });
    await changes.delete(since);
    return confirmed.map(({ newEmail }) => newEmail);
  }
}
