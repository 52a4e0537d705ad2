import { type NarrowTransaction, secondsFromNow, type TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { FOR_UPDATE, FUTURE, type NewLink } from '../tenant-row.js';
import { EmailChange } from './email-change.entity.js';

/** Also of users who have left. $1: person, $2: the first change. */
export const DELETE_CHANGES_SINCE = `
  DELETE FROM email_change
   WHERE id >= $2 AND old_email IN (SELECT email FROM sign_in_email WHERE person_id = $1)
  RETURNING CASE WHEN confirmed_at IS NOT NULL THEN new_email END AS brought`;

@Injectable()
export class EmailChangeRepository {
  async replacePending(tx: TenantTransaction, link: NewLink<EmailChange, 'oldEmail' | 'newEmail'>): Promise<void> {
    const { validSeconds, ...change } = link;
    const changes = tx.repository(EmailChange);
    await changes.delete({ tenantId: tx.tenantId, userId: change.userId, confirmedAt: IsNull() });
    await changes.insert({ ...change, expiresAt: secondsFromNow(validSeconds) });
  }

  /** @returns null for one that has expired */
  async find(tx: NarrowTransaction, tenantId: string, id: string): Promise<EmailChange | null> {
    return tx.repository(EmailChange).findOneBy({ tenantId, id, expiresAt: FUTURE });
  }

  async lock(tx: NarrowTransaction, tenantId: string, id: string): Promise<EmailChange | null> {
    return tx.repository(EmailChange).findOne({ where: { tenantId, id, expiresAt: FUTURE }, lock: FOR_UPDATE });
  }

  async confirm(tx: NarrowTransaction, change: EmailChange, undoHash: Buffer, undoSeconds: number): Promise<void> {
    const { tenantId, id } = change;
    await tx
      .repository(EmailChange)
      .update({ tenantId, id }, { undoHash, confirmedAt: secondsFromNow(0), expiresAt: secondsFromNow(undoSeconds) });
  }

  /** @returns the addresses that the person got by the change and later ones, in whatever workspace */
  async deleteSince(tx: NarrowTransaction, personId: string, id: string): Promise<string[]> {
    const deleted = await tx.query<{ brought: string | null }>(DELETE_CHANGES_SINCE, [personId, id]);
    return deleted.flatMap(({ brought }) => brought ?? []);
  }
}
