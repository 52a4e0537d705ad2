import { type NarrowTransaction, secondsFromNow, type TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import type { EmailHolder } from '../people/email-claim.repository.js';
import { FOR_UPDATE, FUTURE, hasChangedOne } from '../tenant-row.js';
import { ProviderLinkRepository, type Subject } from './provider-link.repository.js';
import { ProviderLinkRequest } from './single-sign-on.entity.js';

/** For so long an owner can decide, and what they refused stays refused. */
export const LINK_REQUEST_SECONDS = 7 * 24 * 3600;

@Injectable()
export class LinkRequestRepository {
  /** Those of a provider that wait for an owner, the oldest first. */
  async list(tx: TenantTransaction, providerId: string): Promise<ProviderLinkRequest[]> {
    const where = { tenantId: tx.tenantId, providerId, deniedAt: IsNull(), expiresAt: FUTURE };
    return tx.repository(ProviderLinkRequest).find({ where, order: { id: 'ASC' }, take: MOST_LISTED });
  }

  async get(tx: NarrowTransaction, named: NamedRequest): Promise<ProviderLinkRequest | null> {
    return tx.repository(ProviderLinkRequest).findOneBy({ ...named, deniedAt: IsNull(), expiresAt: FUTURE });
  }

  /** Like {@link get}; holds it until the transaction ends. */
  async lock(tx: NarrowTransaction, named: NamedRequest): Promise<ProviderLinkRequest | null> {
    const where = { ...named, deniedAt: IsNull(), expiresAt: FUTURE };
    return tx.repository(ProviderLinkRequest).findOne({ where, lock: FOR_UPDATE });
  }

  /** Finds the link of a person whom {@link ProviderLinkRepository.lock} holds. */
  async find(tx: NarrowTransaction, person: Subject, providerId: string): Promise<ProviderLinkRequest | null> {
    return tx.repository(ProviderLinkRequest).findOneBy({ ...person, providerId, expiresAt: FUTURE });
  }

  /** In place of an earlier one. */
  async insert(tx: NarrowTransaction, request: NewLinkRequest): Promise<void> {
    const { tenantId, issuer, sub } = request;
    await this.deleteOf(tx, { tenantId, issuer, sub });
    await tx.repository(ProviderLinkRequest).insert({ ...request, expiresAt: secondsFromNow(LINK_REQUEST_SECONDS) });
  }

  /** @returns whether owners were not told before */
  async markTold(tx: TenantTransaction, person: Subject): Promise<boolean> {
    const untold = { ...person, toldAt: IsNull() };
    return hasChangedOne(await tx.repository(ProviderLinkRequest).update(untold, { toldAt: secondsFromNow(0) }));
  }

  async deny(tx: NarrowTransaction, { tenantId, id }: NamedRequest): Promise<void> {
    await tx.repository(ProviderLinkRequest).update({ tenantId, id }, { deniedAt: secondsFromNow(0) });
  }

  async deleteOf(tx: NarrowTransaction, person: Subject): Promise<void> {
    await tx.repository(ProviderLinkRequest).delete({ ...person });
  }

  /** Deletes the requests of someone who wants to be a user. */
  async deleteOfUser(tx: NarrowTransaction, { tenantId, userId }: EmailHolder): Promise<void> {
    await tx.repository(ProviderLinkRequest).delete({ tenantId, userId });
  }
}

type NamedRequest = Pick<ProviderLinkRequest, 'tenantId' | 'providerId' | 'id'>;

/** More wait for the next look. */
const MOST_LISTED = 200;

type NewLinkRequest = Omit<ProviderLinkRequest, 'createdAt' | 'toldAt' | 'deniedAt' | 'expiresAt'>;
