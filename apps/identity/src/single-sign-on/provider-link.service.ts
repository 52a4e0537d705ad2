import { PlatformError } from '@crm/contracts';
import {
  Database,
  inWorkspace,
  type NarrowTransaction,
  newId,
  type TenantTransaction,
  type TransactionOrigin,
  takeQuota,
} from '@crm/database';
import { Inject, Injectable } from '@nestjs/common';
import { AuditTrail, byUser } from '../audit/audit-trail.service.js';
import { failedSignIn, RefusedActs } from '../audit/refused-acts.js';
import type { RequestOrigin } from '../audit/request-origin.decorator.js';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { MailService } from '../mail/mail.service.js';
import type { User } from '../people/people.entity.js';
import { TenantRepository, UserRepository } from '../people/people.repository.js';
import { assertVerified, normaliseEmail, USER_QUOTA, UserService } from '../people/people.service.js';
import { PersonRepository } from '../people/person.repository.js';
import { PersonService } from '../people/person.service.js';
import { AccessRemovalService } from '../sessions/access-removal.service.js';
import { RevocationService } from '../sessions/revocation.service.js';
import { UsageService } from '../usage/usage.service.js';
import { DomainService } from './domain.service.js';
import { FollowedAddressService } from './followed-address.service.js';
import { LinkRequestService } from './link-request.service.js';
import type { Authentication } from './oidc-client.js';
import type { IdentityProvider } from './single-sign-on.entity.js';
import { firstSignInMail } from './single-sign-on.mail.js';
import { ProviderLinkRepository, type Subject } from './single-sign-on.repository.js';

/** Why someone whom the provider has authenticated does not get in. Pages explain them. */
export const REFUSALS = {
  email_missing: 'The provider returned no email address',
  email_not_verified: "The provider hasn't verified the email address",
  domain_not_proven: "The email address isn't in a verified domain of the workspace",
  email_reserved: 'The email address is reserved for someone who recently changed it',
  user_disabled: 'The user is disabled',
  link_denied: 'An owner denied linking this account to the user with the address',
  not_recent: "The provider didn't confirm a fresh authentication",
  another_user: 'The account at the provider belongs to another user',
  second_factor_missing: "The provider didn't confirm a second factor, which this account requires",
} as const;
export type Refusal = keyof typeof REFUSALS;

/** The name of a user has the same limit. */
const MAX_NAME = 200;

/** Finds or makes the user that someone is whom a provider has authenticated. */
@Injectable()
export class ProviderLinkService {
  constructor(
    private readonly database: Database,
    private readonly links: ProviderLinkRepository,
    private readonly users: UserRepository,
    private readonly additions: UserService,
    private readonly persons: PersonRepository,
    private readonly proofs: PersonService,
    private readonly accessRemoval: AccessRemovalService,
    private readonly revocations: RevocationService,
    private readonly tenants: TenantRepository,
    private readonly domains: DomainService,
    private readonly mails: MailService,
    private readonly trail: AuditTrail,
    private readonly refusals: RefusedActs,
    private readonly usage: UsageService,
    private readonly requests: LinkRequestService,
    private readonly addresses: FollowedAddressService,
    @Inject(IDENTITY_CONFIG) private readonly config: IdentityConfig,
  ) {}

  /**
   * - Anyone who has signed in before is known by issuer and `sub`; their address follows the provider.
   * - At the first sign-in the address decides, if its domain belongs to the workspace: a user who has it is linked and told,
   *   otherwise one is made. The sign-in proves the address: the person is a member from now on, and nobody else is the user.
   * - Of a user whom the provider has known as someone else an owner decides.
   *
   * Nobody gets into another workspace, and nobody whose address is of a domain that the workspace has lost.
   * @param expectedId of the user whose session it is; nobody is made or linked then
   * @throws PlatformError SINGLE_SIGN_ON_REFUSED, IDENTITY_LINK_PENDING, RATE_LIMITED when the workspace has no more users to
   *   add today
   */
  async userOf(
    provider: IdentityProvider,
    person: Authentication,
    from: RequestOrigin,
    expectedId?: string,
  ): Promise<User> {
    const { tenantId, issuer } = provider;
    const origin = { ...from, tenantId };
    const subject = { tenantId, issuer, sub: person.sub };
    const known = await this.database.transaction(tenantId, (tx) => this.links.find(tx, subject));
    if (expectedId !== undefined && known !== expectedId) throw refused('another_user');
    const userId = known ?? (await this.introduce(provider, subject, person, origin));
    const user = await this.database.transaction(origin, (tx) => this.admissible(tx, subject, userId, provider.id));
    // A step-up changes nothing.
    const email = expectedId === undefined && person.emailVerified && verifiedAddress(provider, person);
    if (typeof email === 'string') await this.addresses.follow(provider, user, email, origin);
    return user;
  }

  /** @throws PlatformError SINGLE_SIGN_ON_REFUSED */
  private async admissible(tx: TenantTransaction, subject: Subject, userId: string, providerId: string): Promise<User> {
    const user = await this.users.lock(tx, userId);
    if (!user) throw new Error('A linked user does not exist');
    const refuse = (outcome: Refusal, reason: string = outcome) => {
      this.refusals.note({ ...tx.origin, tenantId: tx.tenantId }, failedSignIn(userId, reason));
      return refused(outcome);
    };
    if (user.status === 'disabled') throw refuse('user_disabled', 'disabled');
    // Sent together. The link again, now that the user is held: what ends links begins an epoch of theirs with it.
    const [isCovered, linkedId] = await Promise.all([
      this.domains.covers(tx, tx.tenantId, user.email),
      this.links.find(tx, subject),
    ]);
    if (linkedId !== userId) throw new PlatformError('SINGLE_SIGN_ON_EXPIRED');
    if (!isCovered) throw refuse('domain_not_proven');
    // An invited user needs no password to get in this way, and the link of the invitation stops working.
    if (user.status === 'invited') {
      await this.users.update(tx, userId, { status: 'active' });
      this.trail.record(tx, byUser('user.invitation_accepted', userId, { providerId }));
    }
    return { ...user, status: 'active' };
  }

  private async introduce(
    provider: IdentityProvider,
    subject: Subject,
    person: Authentication,
    origin: TransactionOrigin,
  ): Promise<string> {
    const email = verifiedAddress(provider, person);
    if (typeof email !== 'string') throw email;
    const newcomer = { email, name: plainText(person.name) || null };
    const met = await inWorkspace(this.database, origin, async (tx) => {
      if (!(await this.domains.covers(tx, provider.tenantId, email))) throw refused('domain_not_proven');
      await this.links.lock(tx, subject);
      const meanwhile = await this.links.find(tx, subject);
      if (meanwhile) return { userId: meanwhile };
      const known = await this.knownBy(tx, provider.tenantId, email);
      // Refused afterwards; as soon as the user is enabled, it is a first sign-in again.
      if (known?.status === 'disabled') return { userId: known.id };
      if (known && (await this.links.isLinked(tx, subject, known.id))) {
        return {
          userId: known.id,
          request: await this.requests.ask(tx, provider, subject, { ...newcomer, userId: known.id }),
        };
      }
      const id = known?.id ?? newId();
      if (!known) await this.provision(tx, provider, { id, email, name: person.name });
      const user = { tenantId: provider.tenantId, userId: id };
      // A person who has left had the address before. They stay someone else, to whom the account is not offered either.
      if (await this.hasLeft(tx, email, provider.tenantId)) await this.persons.decline(tx, id);
      else await this.proofs.prove(tx, email, user);
      await this.links.insert(tx, subject, id);
      await this.requests.forget(tx, subject);
      if (known) {
        const mail = firstSignInMail(known.email, provider.name, known.isTakenOver);
        await this.mails.queue(tx, provider.tenantId, mail);
      }
      // The provider has proven who it is.
      const action = known ? 'provider_link.made' : 'user.provisioned';
      this.trail.record(tx, byUser(action, id, { providerId: provider.id }));
      return { userId: id };
    });
    await this.revocations.publishPending();
    if (met.request === 'untold') await this.requests.tell(provider, subject, email);
    if (met.request === 'denied') throw refused('link_denied');
    if (met.request !== undefined) throw new PlatformError('IDENTITY_LINK_PENDING');
    return met.userId;
  }

  /**
   * The user of the workspace who has the address, which is held until the transaction ends. Someone else may have used them as
   * long as nobody had proven the address: that ends.
   * @throws PlatformError SINGLE_SIGN_ON_REFUSED: anyone who has an address next is not the person who gave it up
   */
  private async knownBy(tx: NarrowTransaction, tenantId: string, email: string) {
    await this.persons.holdAddress(tx, email);
    const proven = await this.persons.findAddress(tx, email);
    if (proven?.isReserved) throw refused('email_reserved');
    const member = proven && (await this.persons.memberOf(tx, proven.personId, tenantId));
    const holder = member ?? (await this.users.findByAddress(tx, tenantId, email));
    if (!holder) return null;
    await this.users.hold(tx, tenantId, holder.userId);
    const user = await this.users.findContact(tx, tenantId, holder.userId);
    const isTakenOver = !member && user?.status === 'active';
    if (isTakenOver) await this.accessRemoval.removeAccess(tx, holder);
    return user && { ...user, isTakenOver };
  }

  private async hasLeft(tx: NarrowTransaction, email: string, tenantId: string): Promise<boolean> {
    const proven = await this.persons.findAddress(tx, email);
    return proven !== null && (await this.persons.hasLeft(tx, proven.personId, tenantId));
  }

  private async provision(
    tx: NarrowTransaction,
    { tenantId, defaultRoles }: IdentityProvider,
    { id, email, name }: { id: string; email: string; name: string | undefined },
  ): Promise<void> {
    const tenant = await this.tenants.findAsNarrow(tx, tenantId);
    assertVerified({ verified: tenant?.verifiedAt !== null });
    await this.additions.addLocal(tx, tenantId, {
      id,
      email,
      name: plainText(name) || email.slice(0, email.lastIndexOf('@')),
      roles: defaultRoles,
      status: 'active',
      origin: 'identity_provider',
      passwordHash: null,
    });
    const limit = this.config.quotas.users[tenant?.plan ?? 'developer'];
    // Last: others of the workspace who are added wait from here on.
    await takeQuota(tx, tenantId, { ...USER_QUOTA, limit });
    await this.usage.assertUserLimit(tx, tenantId);
  }
}

export const refused = (reason: Refusal) =>
  new PlatformError('SINGLE_SIGN_ON_REFUSED', REFUSALS[reason], { members: { reason } });

/** The address that a provider vouches for, normalised, or why there is none. */
function verifiedAddress({ requiresVerifiedEmail }: IdentityProvider, { email, emailVerified }: Authentication) {
  if (email === undefined || !isAddress(email)) return refused('email_missing');
  return requiresVerifiedEmail && !emailVerified ? refused('email_not_verified') : normaliseEmail(email);
}

/** One @ with something on both sides, no spaces or control characters, and not longer than addresses are. */
const isAddress = (text: string): boolean => text.length <= 254 && /^[^\s\p{C}@]+@[^\s\p{C}@]+$/u.test(text.trim());

const plainText = (name: string | undefined): string =>
  [...(name ?? '').replace(/[\p{C}\s]+/gu, ' ').trim()].slice(0, MAX_NAME).join('');
