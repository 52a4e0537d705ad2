import { type NarrowTransaction, secondsFromNow, type TenantTransaction, type Transaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { IsNull, Not } from 'typeorm';
import { FOR_UPDATE, hasChangedOne } from '../tenant-row.js';
import { MailDomain, VerifiedDomain } from './single-sign-on.entity.js';

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
