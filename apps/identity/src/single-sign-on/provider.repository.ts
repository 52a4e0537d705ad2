import { type NarrowTransaction, secondsFromNow, type TenantTransaction, type Transaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { MoreThanOrEqual } from 'typeorm';
import { IdentityProvider, ProviderLink } from './single-sign-on.entity.js';

export type ProviderRow = Omit<IdentityProvider, 'tenantId' | 'createdAt' | 'updatedAt'>;

@Injectable()
export class IdentityProviderRepository {
  /** In the order they were added, which is that of their ids. */
  async list(tx: TenantTransaction): Promise<IdentityProvider[]> {
    return tx.repository(IdentityProvider).find({ where: { tenantId: tx.tenantId }, order: { id: 'ASC' } });
  }

  async find(tx: TenantTransaction, id: string): Promise<IdentityProvider | null> {
    return tx.repository(IdentityProvider).findOneBy({ tenantId: tx.tenantId, id });
  }

  /** Like find, and holds the row until the transaction ends. */
  async lock(tx: TenantTransaction, id: string): Promise<IdentityProvider | null> {
    return tx
      .repository(IdentityProvider)
      .findOne({ where: { tenantId: tx.tenantId, id }, lock: { mode: 'pessimistic_write' } });
  }

  async insert(tx: TenantTransaction, provider: ProviderRow): Promise<void> {
    await tx.repository(IdentityProvider).insert(provider);
  }

  async update(tx: TenantTransaction, { id, ...provider }: ProviderRow): Promise<void> {
    await tx
      .repository(IdentityProvider)
      .update({ tenantId: tx.tenantId, id }, { ...provider, updatedAt: secondsFromNow(0) });
  }

  async delete(tx: TenantTransaction, id: string): Promise<void> {
    await tx.repository(IdentityProvider).delete({ tenantId: tx.tenantId, id });
  }
}

/** Held until the transaction ends. $1: what names the person at the provider. */
export const LOCK_SUBJECT = 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))';

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

  async insert(tx: NarrowTransaction, subject: Subject, userId: string): Promise<void> {
    await tx.repository(ProviderLink).insert({ ...subject, userId });
  }

  /** Whoever was linked to a user from a time on is nobody again until their next sign-in. */
  async deleteSince(tx: TenantTransaction, userId: string, since: Date): Promise<void> {
    await tx.repository(ProviderLink).delete({ tenantId: tx.tenantId, userId, createdAt: MoreThanOrEqual(since) });
  }
}
