import { domainToASCII } from 'node:url';
import type { Principal } from '@crm/access';
import { checkHostname } from '@crm/address-policy';
import { PlatformError } from '@crm/contracts';
import {
  Database,
  inWorkspace,
  type NarrowTransaction,
  Sweeper,
  type TenantTransaction,
  type Transaction,
} from '@crm/database';
import type { TextResolver } from '@crm/egress';
import { Limiter, LimiterStore } from '@crm/limits';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { parse } from 'tldts';
import type { AuditAction } from '../audit/audit-actions.js';
import { AuditTrail } from '../audit/audit-trail.service.js';
import { TEXT_RECORDS } from '../egress.module.js';
import type { NewMail } from '../mail/mail.repository.js';
import { MailService } from '../mail/mail.service.js';
import { UserRepository } from '../people/people.repository.js';
import { assertVerified, TenantService } from '../people/people.service.js';
import { newSecret } from '../secrets.js';
import { SignInPolicyRepository } from '../sign-in/factor.repository.js';
import type { WorkspaceTransaction } from '../tenant-row.js';
import { PUBLIC_MAIL_DOMAINS } from './public-mail-domains.data.js';
import { recordName } from './single-sign-on.dto.js';
import type { MailDomain } from './single-sign-on.entity.js';
import { domainLostMail, GRACE_DAYS, recordMissingMail } from './single-sign-on.mail.js';
import { type DomainHolder, DomainRepository, IdentityProviderRepository } from './single-sign-on.repository.js';

/** The form in which a domain is stored and compared; the same as in addresses (people/people.service.ts). */
export const normaliseDomain = (text: string): string => domainToASCII(text.trim().toLowerCase().replace(/\.$/, ''));

/** The domain of a normalised address. */
export const domainOf = (email: string): string => email.slice(email.lastIndexOf('@') + 1);

/** Why no workspace can have this (normalised) domain, whatever its records say; undefined where one can prove it. */
export function domainProblem(domain: string): string | undefined {
  if (!checkHostname(domain).ok) return 'Must be a public domain name';
  const { publicSuffix, isIcann, isPrivate, isIp } = parse(domain, { allowPrivateDomains: true });
  // Anyone who can write below a suffix that others register names under would speak for all of them.
  if (isIp || publicSuffix === domain) return 'This is a public suffix. Use a domain that only you control';
  if (!isIcann && !isPrivate) return 'Must be a public domain name';
  if (PUBLIC_MAIL_DOMAINS.has(domain)) return "Anyone can get an address at this domain. Use your company's domain";
  return undefined;
}

export const DOMAINS_PER_TENANT = 50;
/** Times that a workspace has a record looked up in an hour. */
export const LOOKUPS_PER_HOUR = 60;
const TOLD_ADMINISTRATORS = 10;
const GRACE_MS = GRACE_DAYS * 24 * 3600 * 1000;

/** Domains of e-mail addresses: proven by a record, belonging to one workspace, looked up again every day. */
@Injectable()
export class DomainService {
  private readonly logger = new Logger(DomainService.name);
  private readonly lookups: Limiter;

  constructor(
    private readonly database: Database,
    private readonly domains: DomainRepository,
    private readonly providers: IdentityProviderRepository,
    private readonly tenants: TenantService,
    private readonly users: UserRepository,
    private readonly mails: MailService,
    private readonly trail: AuditTrail,
    private readonly policies: SignInPolicyRepository,
    @Inject(TEXT_RECORDS) private readonly textRecords: TextResolver,
    limits: LimiterStore,
  ) {
    const rule = { name: 'domain-lookup', points: LOOKUPS_PER_HOUR, windowSeconds: 3600 };
    this.lookups = new Limiter(limits, rule, 'Too many domain checks. Try again later');
  }

  async list(tenantId: string): Promise<MailDomain[]> {
    return this.database.transaction(tenantId, (tx) => this.domains.list(tx));
  }

  /**
   * Begins to prove a domain; one that was added before keeps its record.
   * @throws PlatformError EMAIL_NOT_VERIFIED, VALIDATION_FAILED, CONFLICT for too many
   */
  async add(principal: Principal, text: string): Promise<MailDomain> {
    const domain = normaliseDomain(text);
    const problem = domainProblem(domain);
    if (problem !== undefined) {
      const errors = [{ pointer: '/domain', code: 'DOMAIN_REFUSED', detail: problem }];
      throw new PlatformError('VALIDATION_FAILED', undefined, { errors });
    }
    return this.database.transaction(principal, async (tx) => {
      assertVerified(await this.tenants.view(tx));
      const present = await this.domains.list(tx);
      const earlier = present.find((one) => one.domain === domain);
      if (earlier) return earlier;
      if (present.length >= DOMAINS_PER_TENANT) {
        throw new PlatformError('CONFLICT', `A workspace can have up to ${DOMAINS_PER_TENANT} domains`);
      }
      await this.domains.insert(tx, domain, `crm-domain-verification=${newSecret()}`);
      this.record(tx, 'domain.added', domain);
      return this.require(tx, domain);
    });
  }

  /**
   * Gives a domain to the workspace if its record is there. A workspace whose own record is gone loses it. Others who have
   * registered with its addresses, and not verified them yet, no longer can.
   * @throws PlatformError NOT_FOUND, RATE_LIMITED, DOMAIN_NOT_PROVEN, DOMAIN_TAKEN
   */
  async verify(principal: Principal, text: string): Promise<MailDomain> {
    const { tenantId } = principal;
    const wanted = await this.database.transaction(tenantId, (tx) => this.require(tx, normaliseDomain(text)));
    const { domain, token } = wanted;
    await this.lookups.consume(tenantId);
    const records = await this.recordsOf(domain);
    if (!records?.includes(token)) {
      throw new PlatformError('DOMAIN_NOT_PROVEN', `${recordName(domain)} has no TXT record with the expected value`);
    }
    const claim = () =>
      inWorkspace(this.database, principal, async (tx) => {
        if (!(await this.domains.claim(tx, tenantId, domain))) return false;
        await this.domains.endOtherClaims(tx, tenantId, domain);
        if (wanted.verifiedAt === null) this.record(tx, 'domain.verified', domain);
        return true;
      });
    if (!(await claim())) {
      const holder = await this.database.crossTenant((tx) => this.domains.findHolder(tx, domain));
      if (holder && (await this.isStillProven(holder, records))) throw new PlatformError('DOMAIN_TAKEN');
      if (holder) await this.release(holder);
      if (!(await claim())) throw new PlatformError('DOMAIN_TAKEN');
    }
    return this.database.transaction(tenantId, (tx) => this.require(tx, domain));
  }

  /** @throws PlatformError NOT_FOUND; CONFLICT for the last one while single sign-on is required */
  async remove(principal: Principal, text: string): Promise<void> {
    const holder = { tenantId: principal.tenantId, domain: normaliseDomain(text) };
    await inWorkspace(this.database, principal, async (tx) => {
      if (await this.isOnlyWayIn(tx, holder)) {
        throw new PlatformError('CONFLICT', 'The workspace requires single sign-on and has no other verified domain');
      }
      if (!(await this.domains.remove(tx, holder))) throw notFound();
      this.record(tx, 'domain.removed', holder.domain);
    });
  }

  /** Returns whether the workspace refuses passwords of users who are not owners. */
  async requiresSingleSignOn(tenantId: string): Promise<boolean> {
    return (await this.database.transaction(tenantId, (tx) => this.policies.read(tx))).singleSignOn;
  }

  /** @throws PlatformError CONFLICT while nobody could sign in by a provider */
  async requireSingleSignOn(principal: Principal, required: boolean): Promise<void> {
    await this.database.transaction(principal, async (tx) => {
      if (required) {
        const isUsable = (await this.providers.list(tx)).some(({ enabled }) => enabled);
        if (!isUsable) throw new PlatformError('CONFLICT', 'Enable an identity provider first');
        // Held: the last domain is not removed meanwhile.
        const proven = await this.domains.lockVerified(tx, tx.tenantId);
        if (proven.length === 0) throw new PlatformError('CONFLICT', 'Verify a domain first');
      }
      await this.policies.setSingleSignOn(tx, required);
      this.trail.record(tx, {
        action: 'workspace.sign_in_policy_changed',
        subject: { kind: 'workspace', id: tx.tenantId },
        detail: { singleSignOn: required ? 'required' : 'optional' },
      });
    });
  }

  /** The tenant that signs in addresses of a domain; null when nobody has proven it. */
  async tenantOf(domain: string): Promise<string | null> {
    const holder = await this.database.crossTenant((tx) => this.domains.findHolder(tx, domain));
    return holder?.tenantId ?? null;
  }

  /** Returns whether the domain of an address belongs to the tenant. @param email normalised */
  async covers(tx: Transaction, tenantId: string, email: string): Promise<boolean> {
    return this.domains.isVerified(tx, tenantId, domainOf(email));
  }

  /**
   * Looks a domain up again, and takes it away when its record has been missing for too long. The last one stays with a
   * workspace that requires single sign-on, whose users could not sign in at all otherwise, until someone else proves it.
   */
  async recheck(holder: DomainHolder): Promise<void> {
    const { tenantId, domain } = holder;
    const known = await this.database.transaction(tenantId, (tx) => this.domains.find(tx, tenantId, domain));
    const records = await this.recordsOf(domain);
    if (records === undefined) {
      // Nobody said that the record is not there.
      await this.database.crossTenant((tx) => this.domains.checkSooner(tx, domain));
      return;
    }
    const found = known !== null && records.includes(known.token);
    const isOver = known === null || (known.missingSince && known.missingSince.getTime() < Date.now() - GRACE_MS);
    if (!found && isOver) {
      if (!(await inWorkspace(this.database, tenantId, (tx) => this.isOnlyWayIn(tx, holder)))) {
        await this.release(holder);
        return;
      }
      this.logger.warn({ msg: 'A domain whose record is gone stays: single sign-on is required', tenantId, domain });
    }
    await this.database.transaction(tenantId, async (tx) => {
      if (found === (known?.missingSince === null)) return;
      if (found || known?.missingSince === null) await this.domains.markRecord(tx, domain, found);
      if (!found && known?.missingSince === null) await this.tell(tx, (to) => recordMissingMail(to, domain));
    });
    if (!found) await this.database.crossTenant((tx) => this.domains.checkSooner(tx, domain));
  }

  /** Returns whether nobody but owners could sign in without the domain. Holds the domains of the tenant until the transaction ends. */
  private async isOnlyWayIn(tx: NarrowTransaction, { tenantId, domain }: DomainHolder): Promise<boolean> {
    const proven = await this.domains.lockVerified(tx, tenantId);
    const isLast = proven.length === 1 && proven[0] === domain;
    return isLast && (await this.policies.requiresSingleSignOn(tx, tenantId));
  }

  private async release(holder: DomainHolder): Promise<void> {
    const { tenantId, domain } = holder;
    const released = await inWorkspace(this.database, tenantId, async (tx) => {
      const wasHeld = await this.domains.release(tx, holder);
      if (wasHeld) this.record(tx, 'domain.lost', domain);
      return wasHeld;
    });
    if (!released) return;
    this.logger.log({ msg: 'A workspace has lost a domain, because its record is gone', tenantId, domain });
    await this.database.transaction(tenantId, (tx) => this.tell(tx, (to) => domainLostMail(to, domain)));
  }

  private record(tx: WorkspaceTransaction, action: AuditAction, domain: string): void {
    this.trail.record(tx, { action, subject: { kind: 'domain', id: domain } });
  }

  /** @param records what the domain's name servers say now */
  private async isStillProven({ tenantId, domain }: DomainHolder, records: readonly string[]): Promise<boolean> {
    const known = await this.database.transaction(tenantId, (tx) => this.domains.find(tx, tenantId, domain));
    return known !== null && records.includes(known.token);
  }

  /** The records of a domain; undefined when its name servers do not answer. */
  private async recordsOf(domain: string): Promise<readonly string[] | undefined> {
    try {
      return await this.textRecords(recordName(domain));
    } catch (error) {
      this.logger.warn({ msg: 'The records of a domain could not be looked up', domain, err: error });
      return undefined;
    }
  }

  private async tell(tx: TenantTransaction, mailTo: (recipient: string) => NewMail): Promise<void> {
    for (const { email } of await this.users.holdAdministratorsToTell(tx, TOLD_ADMINISTRATORS)) {
      await this.mails.queue(tx, tx.tenantId, mailTo(email));
    }
  }

  private async require(tx: TenantTransaction, domain: string): Promise<MailDomain> {
    const found = await this.domains.find(tx, tx.tenantId, domain);
    if (!found) throw notFound();
    return found;
  }
}

const notFound = () => new PlatformError('NOT_FOUND', 'Domain not found');

const EVERY_MS = 10 * 60_000;
const AT_A_TIME = 50;

/** Looks proven domains up again, each once a day. */
@Injectable()
export class DomainSweeper extends Sweeper {
  constructor(
    private readonly database: Database,
    private readonly repository: DomainRepository,
    private readonly domains: DomainService,
  ) {
    super({ everyMs: EVERY_MS, atStart: true });
  }

  async sweep(stopping?: AbortSignal): Promise<void> {
    for (;;) {
      const due = await this.database.crossTenant((tx) => this.repository.takeDue(tx, AT_A_TIME));
      for (const holder of due) {
        if (stopping?.aborted) return;
        await this.domains.recheck(holder);
      }
      if (due.length < AT_A_TIME) return;
    }
  }
}
