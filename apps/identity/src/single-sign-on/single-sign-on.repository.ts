import { type NarrowTransaction, secondsFromNow, type TenantTransaction, type Transaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { IsNull, MoreThanOrEqual, Not } from 'typeorm';
import type { EmailHolder } from '../people/email.repository.js';
import { FOR_UPDATE, FUTURE, hasChangedOne } from '../tenant-row.js';
import {
  IdentityProvider,
  type LastFailure,
  MailDomain,
  ProviderLink,
  ProviderLinkRequest,
  ProviderSignIn,
  VerifiedDomain,
} from './single-sign-on.entity.js';

/** Waits for a transaction that is claiming the same domain. $1: domain, $2: tenant, $3: seconds until the next check. */
export const CLAIM_DOMAIN = `
  INSERT INTO verified_domain (domain, tenant_id, next_check_at) VALUES ($1, $2, now() + make_interval(secs => $3))
  ON CONFLICT (domain) DO NOTHING RETURNING domain`;

/** $1: how many, $2: seconds until the next check. */
export const TAKE_DUE_DOMAINS = `
  WITH due AS MATERIALIZED (
    SELECT domain FROM verified_domain WHERE next_check_at <= now() ORDER BY next_check_at LIMIT $1 FOR UPDATE SKIP LOCKED)
  UPDATE verified_domain SET next_check_at = now() + make_interval(secs => $2)
    FROM due WHERE verified_domain.domain = due.domain
  RETURNING verified_domain.domain, tenant_id AS "tenantId"`;

/** Claims are held in the order in which verifications hold those of an address. $1: domain, $2: tenant. */
export const END_CLAIMS_OF_DOMAIN = `
  WITH claimed AS MATERIALIZED (
    SELECT user_id FROM email_claim
     WHERE substring(email FROM '[^@]*$') = $1 AND tenant_id <> $2 AND lost_at IS NULL ORDER BY user_id FOR UPDATE)
  UPDATE email_claim SET lost_at = now(), secret_hash = NULL
    FROM claimed WHERE email_claim.user_id = claimed.user_id`;

/** The tenant that a domain belongs to. */
export type DomainHolder = Pick<VerifiedDomain, 'domain' | 'tenantId'>;

/** Seconds between two looks at the record of a domain. */
const CHECK_SECONDS = 24 * 3600;
/** Sooner after a look that did not find it. */
const RECHECK_SECONDS = 6 * 3600;

/** Domains of tenants, and which of them belongs to whom. */
@Injectable()
export class DomainRepository {
  async list(tx: TenantTransaction): Promise<MailDomain[]> {
    return tx.repository(MailDomain).find({ where: { tenantId: tx.tenantId }, order: { domain: 'ASC' } });
  }

  async find(tx: Transaction, tenantId: string, domain: string): Promise<MailDomain | null> {
    return tx.repository(MailDomain).findOneBy({ tenantId, domain });
  }

  async isVerified(tx: Transaction, tenantId: string, domain: string): Promise<boolean> {
    return tx.repository(MailDomain).existsBy({ tenantId, domain, verifiedAt: Not(IsNull()) });
  }

  /** Holds the domains of a tenant until the transaction ends. @returns those that are proven */
  async lockVerified(tx: Transaction, tenantId: string): Promise<string[]> {
    const held = await tx.repository(MailDomain).find({
      select: { tenantId: true, domain: true, verifiedAt: true },
      where: { tenantId },
      order: { domain: 'ASC' },
      lock: FOR_UPDATE,
    });
    return held.filter(({ verifiedAt }) => verifiedAt !== null).map(({ domain }) => domain);
  }

  async insert(tx: TenantTransaction, domain: string, token: string): Promise<void> {
    await tx.repository(MailDomain).createQueryBuilder().insert().values({ domain, token }).orIgnore().execute();
  }

  /** The tenant that has proven the domain. */
  async findHolder(tx: NarrowTransaction, domain: string): Promise<DomainHolder | null> {
    return tx.repository(VerifiedDomain).findOne({ select: { domain: true, tenantId: true }, where: { domain } });
  }

  /** Gives a domain to the tenant in context unless it belongs to another. @returns whether it is the tenant's now */
  async claim(tx: NarrowTransaction, tenantId: string, domain: string): Promise<boolean> {
    const claimed = await tx.query(CLAIM_DOMAIN, [domain, tenantId, CHECK_SECONDS]);
    if (claimed.length === 0 && (await this.findHolder(tx, domain))?.tenantId !== tenantId) return false;
    await tx.repository(MailDomain).update({ tenantId, domain }, { verifiedAt: secondsFromNow(0), missingSince: null });
    return true;
  }

  /** Addresses of the domain that other tenants have registered with are not verified any more. */
  async endOtherClaims(tx: NarrowTransaction, tenantId: string, domain: string): Promise<void> {
    await tx.query(END_CLAIMS_OF_DOMAIN, [domain, tenantId]);
  }

  /** Takes a domain from the tenant in context. @returns whether it was the tenant's */
  async release(tx: NarrowTransaction, { tenantId, domain }: DomainHolder): Promise<boolean> {
    const { affected } = await tx.repository(VerifiedDomain).delete({ tenantId, domain });
    await tx.repository(MailDomain).update({ tenantId, domain }, { verifiedAt: null, missingSince: null });
    return affected === 1;
  }

  /** Like release, and the tenant no longer wants to prove it. @returns whether it was there */
  async remove(tx: NarrowTransaction, { tenantId, domain }: DomainHolder): Promise<boolean> {
    await tx.repository(VerifiedDomain).delete({ tenantId, domain });
    return hasChangedOne(await tx.repository(MailDomain).delete({ tenantId, domain }));
  }

  /** Domains whose record is to be looked up; no other process gets them until their next check. */
  async takeDue(tx: NarrowTransaction, limit: number): Promise<DomainHolder[]> {
    return tx.query<DomainHolder>(TAKE_DUE_DOMAINS, [limit, CHECK_SECONDS]);
  }

  async checkSooner(tx: NarrowTransaction, domain: string): Promise<void> {
    await tx.repository(VerifiedDomain).update({ domain }, { nextCheckAt: secondsFromNow(RECHECK_SECONDS) });
  }

  /** Notes what a check found. */
  async markRecord(tx: TenantTransaction, domain: string, found: boolean): Promise<void> {
    await tx
      .repository(MailDomain)
      .update({ tenantId: tx.tenantId, domain }, { missingSince: found ? null : secondsFromNow(0) });
  }
}

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
    return tx.repository(IdentityProvider).findOne({ where: { tenantId: tx.tenantId, id }, lock: FOR_UPDATE });
  }

  async insert(tx: TenantTransaction, provider: ProviderRow): Promise<void> {
    await tx.repository(IdentityProvider).insert(provider);
  }

  async update(tx: TenantTransaction, { id, ...provider }: ProviderRow): Promise<void> {
    await tx
      .repository(IdentityProvider)
      .update({ tenantId: tx.tenantId, id }, { ...provider, updatedAt: secondsFromNow(0) });
  }

  async noteFailure(tx: TenantTransaction, id: string, lastFailure: LastFailure): Promise<void> {
    await tx.repository(IdentityProvider).update({ tenantId: tx.tenantId, id }, { lastFailure });
  }

  async delete(tx: TenantTransaction, id: string): Promise<void> {
    await tx.repository(IdentityProvider).delete({ tenantId: tx.tenantId, id });
  }
}

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

/** For so long a person may be at the provider. */
export const SIGN_IN_SECONDS = 600;
/** For so long a page may take to exchange the code. */
export const CODE_SECONDS = 60;

type NewSignIn = Pick<
  ProviderSignIn,
  'id' | 'providerId' | 'stateHash' | 'browserHash' | 'nonce' | 'sealedVerifier' | 'fresh' | 'sessionId' | 'userId'
>;

/** What is known of a person whom the provider has authenticated. */
type Outcome = Pick<ProviderSignIn, 'codeHash' | 'userId' | 'hasSecondFactor' | 'signInEpoch' | 'authenticatedAt'>;

@Injectable()
export class ProviderSignInRepository {
  async insert(tx: TenantTransaction, signIn: NewSignIn): Promise<void> {
    await tx.repository(ProviderSignIn).insert({ ...signIn, expiresAt: secondsFromNow(SIGN_IN_SECONDS) });
  }

  /** One that has not expired. */
  async find(tx: TenantTransaction, id: string): Promise<ProviderSignIn | null> {
    return tx.repository(ProviderSignIn).findOneBy({ tenantId: tx.tenantId, id, expiresAt: FUTURE });
  }

  /** @returns whether it is the first time that the browser comes back: of two answers at once only one is looked at */
  async takeReturn(tx: TenantTransaction, id: string): Promise<boolean> {
    return hasChangedOne(
      await tx
        .repository(ProviderSignIn)
        .update({ tenantId: tx.tenantId, id, returnedAt: IsNull() }, { returnedAt: secondsFromNow(0) }),
    );
  }

  /** Notes who it is, and the code with which the page goes on. */
  async complete(tx: TenantTransaction, id: string, outcome: Outcome): Promise<void> {
    await tx
      .repository(ProviderSignIn)
      .update({ tenantId: tx.tenantId, id }, { ...outcome, expiresAt: secondsFromNow(CODE_SECONDS) });
  }

  /** @returns whether it existed: of two exchanges at once only one opens a session */
  async delete(tx: TenantTransaction, id: string): Promise<boolean> {
    return hasChangedOne(await tx.repository(ProviderSignIn).delete({ tenantId: tx.tenantId, id }));
  }
}
