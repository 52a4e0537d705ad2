import { type NarrowTransaction, type TenantTransaction, type Transaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { MoreThanOrEqual } from 'typeorm';
import { ProviderLink } from './single-sign-on.entity.js';

/** Held until the transaction ends. $1: what names the person at the provider. */
export const LOCK_SUBJECT = 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))';

/** What undoes a change of the address is of the person and stays. $1: tenant, $2: user. */
export const END_MAILED_LINKS = `
  WITH resets AS (DELETE FROM password_reset WHERE tenant_id = $1 AND user_id = $2)
  DELETE FROM email_change WHERE tenant_id = $1 AND user_id = $2 AND confirmed_at IS NULL`;

/** A person at a provider, as a tenant sees them. */
export type Subject = Pick<ProviderLink, 'tenantId' | 'issuer' | 'sub'>;

@Injectable()
export class ProviderLinkRepository {
  /** Makes first sign-ins of one person wait for each other until the transaction ends. */
  async lock(tx: Transaction, { tenantId, issuer, sub }: Subject): Promise<void> {
    await tx.query(LOCK_SUBJECT, [JSON.stringify(['provider_link', tenantId, issuer, sub])]);
  }

  /** The id of the user; null before the first sign-in. */
  async find(tx: Transaction, { tenantId, issuer, sub }: Subject): Promise<string | null> {
    const link = await tx
      .repository(ProviderLink)
      .findOne({ select: { tenantId: true, userId: true }, where: { tenantId, issuer, sub } });
    return link?.userId ?? null;
  }

  async insert(tx: Transaction, subject: Subject, userId: string): Promise<void> {
    await tx.repository(ProviderLink).insert({ ...subject, userId });
  }

  /** Returns whether the provider knows a user, as anyone. */
  async isLinked(tx: Transaction, { tenantId, issuer }: Subject, userId: string): Promise<boolean> {
    return tx.repository(ProviderLink).existsBy({ tenantId, issuer, userId });
  }

  /** Links that were mailed to an address which is no longer the user's. */
  async endMailedLinks(
    tx: NarrowTransaction,
    { tenantId, userId }: { tenantId: string; userId: string },
  ): Promise<void> {
    await tx.query(END_MAILED_LINKS, [tenantId, userId]);
  }

  /** The user no longer is anyone at the provider. */
  async unlink(tx: Transaction, { tenantId, issuer }: Subject, userId: string): Promise<void> {
    await tx.repository(ProviderLink).delete({ tenantId, issuer, userId });
  }

  /** The one who was linked to a user from a time on is nobody again until their next sign-in. */
  async deleteSince(tx: TenantTransaction, userId: string, since: Date): Promise<void> {
    await tx.repository(ProviderLink).delete({ tenantId: tx.tenantId, userId, createdAt: MoreThanOrEqual(since) });
  }
}
