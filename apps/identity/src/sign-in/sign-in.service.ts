import { PlatformError } from '@crm/contracts';
import { Database, inWorkspace, NO_TENANT, type TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { AuditTrail, byUser } from '../audit/audit-trail.service.js';
import { failedSignIn, noting, RefusedActs, refusedSignIn } from '../audit/refused-acts.js';
import type { RequestOrigin } from '../audit/request-origin.decorator.js';
import { DeviceTokens, type KnownDevice, type SignInOutcome } from '../guesses/device-tokens.js';
import { SignInLimit } from '../guesses/sign-in-limit.js';
import { PasswordService } from '../passwords/password.service.js';
import { normaliseEmail } from '../people/email-address.js';
import type { User } from '../people/people.entity.js';
import { PersonRepository, type SignInHolder } from '../people/person.repository.js';
import { PersonService } from '../people/person.service.js';
import { SignInPolicyRepository } from '../people/sign-in-policy.repository.js';
import { type SignInUser, UserRepository } from '../people/user.repository.js';
import { MfaService, SIGN_INS } from '../second-factor/mfa.service.js';
import { type Enrolled, MfaRequestService, type SignInAnswer } from '../second-factor/mfa-request.service.js';
import type { AuthenticatorView } from '../second-factor/second-factor.dto.js';
import type { SignInPurpose } from '../second-factor/second-factor.entity.js';
import { SessionService } from '../sessions/session.service.js';
import { type ProvenSignIn, type SignInOrigin } from '../sessions/session-issuer.js';
import type { SignInInput } from './sign-in.dto.js';

/** What was proven before the second factor, for the audit trail. */
const FIRST_PROOFS: Readonly<Record<SignInPurpose, string>> = {
  'sign-in': 'password',
  'single-sign-on': 'identity_provider',
  switch: 'switch',
};

/** What comes before the second factor, unless it is the password of now. */
export type FirstProof = Pick<ProvenSignIn, 'provenAt' | 'endsAt'> & { readonly purpose: SignInPurpose };

/** Looked up for an address without an account, which takes the same time. */
const NOBODY = { tenantId: NO_TENANT, userId: NO_TENANT };

/** A user who has proven by a password who they are. */
export interface AuthenticatedUser extends SignInUser {
  /** True when they are a person: the password is the one of all their workspaces. */
  readonly isMember: boolean;
}

interface Attempt extends Pick<SignInInput, 'password' | 'workspace'> {
  readonly email: string;
  readonly origin: RequestOrigin;
}

@Injectable()
export class SignInService {
  constructor(
    private readonly database: Database,
    private readonly users: UserRepository,
    private readonly persons: PersonRepository,
    private readonly people: PersonService,
    private readonly passwords: PasswordService,
    private readonly limit: SignInLimit,
    private readonly sessions: SessionService,
    private readonly requests: MfaRequestService,
    private readonly mfa: MfaService,
    private readonly policies: SignInPolicyRepository,
    private readonly trail: AuditTrail,
    private readonly refusals: RefusedActs,
    private readonly devices: DeviceTokens,
  ) {}

  /**
   * Neither the answer nor its time distinguishes an unknown address, a wrong password, an invited and a disabled user.
   * @throws PlatformError INVALID_CREDENTIALS, RATE_LIMITED, SERVICE_UNAVAILABLE while too many passwords are being
   * checked
   */
  async authenticate(
    { email, ...input }: SignInInput,
    origin: RequestOrigin,
    deviceToken?: string,
  ): Promise<AuthenticatedUser> {
    const attempt = { ...input, email: normaliseEmail(email), origin };
    const device = this.devices.read(deviceToken);
    const byDevice = device && { id: device.id, attempt: () => this.authenticateOn(device, attempt) };
    return this.limit.guess(`user:${attempt.email}`, origin.address, () => this.prove(attempt), byDevice);
  }

  /**
   * Where the workspace requires single sign-on, only owners and guests get in by a password.
   * @throws PlatformError SINGLE_SIGN_ON_REQUIRED, WORKSPACE_SUSPENDED, INVALID_CREDENTIALS, RATE_LIMITED when too many
   * codes were asked for
   */
  async admit(
    user: SignInUser,
    origin: SignInOrigin & Pick<ProvenSignIn, 'ofPage'>,
    { purpose, ...first }: FirstProof = { purpose: 'sign-in' },
  ): Promise<SignInOutcome<SignInAnswer>> {
    if (user.initialPassword) {
      return { answer: { passwordChangeRequired: true, expiresIn: 0 }, deviceToken: undefined };
    }
    const demandOf = async (tx: TenantTransaction) => {
      const { secondFactor, singleSignOn } = await this.policies.read(tx);
      return {
        // Anyone who gets in without the identity provider never does by a password alone: not even to set up an authenticator.
        mailCode: user.mfaEnabled || singleSignOn,
        enrolment: secondFactor === 'required',
        refusal: singleSignOn ? await this.passwordRefusal(tx, user.id) : undefined,
      };
    };
    const { tenantId, id, signInEpoch: epoch } = user;
    const account = { ...user, authenticatedAt: first.provenAt ?? null };
    const secondFactor = this.requests.before(account, purpose, demandOf);
    const method = FIRST_PROOFS[purpose];
    const proven = { ...origin, ...first, method, epoch, personProven: true };
    const answer = await noting(this.refusals, { ...origin, tenantId }, refusedSignIn(id, method), () =>
      this.sessions.open(tenantId, id, proven, secondFactor),
    );
    return { answer, deviceToken: 'accessToken' in answer ? await this.admitted(user, purpose) : undefined };
  }

  async verifyCode(challengeId: string, code: string, origin: SignInOrigin): Promise<SignInOutcome> {
    return this.limit.attempt(`challenge:${challengeId}`, origin.address, async () => {
      const verified = await this.mfa.verify('users', challengeId, code, SIGN_INS, origin);
      const { tenantId, id, purpose, epoch, provenAt } = verified;
      await this.database.transaction(tenantId, (tx) => this.assertStillAdmitted(tx, id, purpose));
      const method = `${FIRST_PROOFS[purpose]}+${verified.method}`;
      const proven = { ...origin, method, epoch, provenAt, personProven: isOfPerson(purpose) };
      const answer = await this.sessions.open(tenantId, id, proven);
      return { answer, deviceToken: await this.deviceTokenOf(tenantId, id, purpose) };
    });
  }

  async startEnrolment(token: string): Promise<AuthenticatorView> {
    const emailOf = async (tx: TenantTransaction, id: string, purpose: SignInPurpose) =>
      (await this.assertStillAdmitted(tx, id, purpose))?.email;
    return this.mfa.startEnrolment('users', token, emailOf);
  }

  async confirmEnrolment(token: string, code: string, origin: SignInOrigin): Promise<SignInOutcome<Enrolled>> {
    const enrolled = async (tx: TenantTransaction, id: string, purpose: SignInPurpose) => {
      await this.assertStillAdmitted(tx, id, purpose);
      await this.users.update(tx, id, { mfaEnabled: true });
      this.trail.record(tx, byUser('authenticator.added', id));
    };
    const confirmed = await this.mfa.confirmEnrolment('users', token, code, enrolled);
    const { tenantId, id, purpose, recoveryCodes, epoch, provenAt } = confirmed;
    const method = `${FIRST_PROOFS[purpose]}+authenticator`;
    const proven = { ...origin, method, epoch, provenAt, personProven: isOfPerson(purpose) };
    const answer = { ...(await this.sessions.open(tenantId, id, proven)), recoveryCodes };
    return { answer, deviceToken: await this.deviceTokenOf(tenantId, id, purpose) };
  }

  /**
   * Who has proven the address comes first; then one hash finds the local account, so that its time does not tell how many
   * there are. Every refusal costs two hashes and four reads.
   */
  private async prove(attempt: Attempt): Promise<AuthenticatedUser> {
    const { origin } = attempt;
    const holder = await this.holderOf(attempt);
    const user = await this.users.readForSignIn(this.database, holder ?? NOBODY);
    const right = await this.passwords.matches(user?.passwordHash, attempt.password, origin.address);
    const entered = right && holder && user ? await this.enter(holder, user, attempt) : undefined;
    if (entered && !isRefused(entered)) return entered;
    const proven = (await this.proveLocal(attempt)) ?? entered;
    if (proven) return proven;
    // A local account learns nothing of attempts: it may be someone else's.
    if (user) this.noteFailure(user, origin);
    throw new PlatformError('INVALID_CREDENTIALS');
  }

  private holderOf({ email, workspace }: Attempt): Promise<SignInHolder | undefined> {
    if (workspace === undefined) return this.persons.findHolder(this.database, email);
    return this.persons.findMembership(this.database, email, workspace);
  }

  /**
   * The user, or where they must not sign in, or not by a password, the first of the person's other users who may.
   * @param user whose password was right
   * @returns as they are afterwards; a user whom the workspace refuses where there is no other
   */
  private async enter(
    { personId, lastUserId }: SignInHolder,
    user: SignInUser,
    attempt: Attempt,
  ): Promise<AuthenticatedUser | undefined> {
    let entered = user.status === 'active' ? user : undefined;
    if (personId !== null && attempt.workspace === undefined && (!entered || isRefused(entered))) {
      for (const membership of await this.database.crossTenant((tx) => this.persons.memberships(tx, personId))) {
        const other = await this.users.readForSignIn(this.database, membership);
        // A host or a provider alone lets someone in who has no password.
        if (other?.status !== 'active' || other.passwordHash !== user.passwordHash) continue;
        // A workspace that refuses them says why, rather than that another is suspended.
        if (!entered || entered.isSuspended || !isRefused(other)) entered = other;
        if (!isRefused(other)) break;
      }
    }
    if (!entered) return undefined;
    const { tenantId, id: userId } = entered;
    if (personId !== null && userId !== lastUserId) {
      await this.database.crossTenant((tx) => this.persons.noteUse(tx, personId, { tenantId, userId }));
    }
    return { ...entered, isMember: personId !== null, passwordHash: await this.renew(entered, attempt) };
  }

  /** The key of the password is the proof. @returns undefined for a wrong password and for one who may not sign in */
  private async proveLocal({ email, password, workspace, origin }: Attempt): Promise<AuthenticatedUser | undefined> {
    const key = await this.passwords.claimKey(email, password, origin.address);
    const local = await this.persons.findLocalByKey(this.database, email, key, workspace);
    const user = await this.users.readForSignIn(this.database, local ?? NOBODY);
    if (user?.status === 'active') return { ...user, isMember: false };
    if (user) this.noteFailure(user, origin);
    return undefined;
  }

  /**
   * Only the password of the device's own user counts: anyone who has an account of someone's address in their workspace has
   * devices of that account only.
   * @returns undefined where the device is not one of the address's, before anything is hashed
   */
  private async authenticateOn(device: KnownDevice, attempt: Attempt): Promise<AuthenticatedUser | undefined> {
    const { email, password, workspace, origin } = attempt;
    const own = await this.persons.findAccount(this.database, email, device.userId);
    const user = own && (await this.users.readForSignIn(this.database, own));
    if (!user || !this.devices.isOf(device, user)) return undefined;
    const holder = own.personId === null ? { ...own, lastUserId: own.userId } : await this.holderOf(attempt);
    if (!holder || (workspace !== undefined && holder.tenantId !== workspace)) return undefined;
    const right = await this.passwords.matches(user.passwordHash, password, origin.address);
    const last = holder.userId === user.id ? user : await this.users.readForSignIn(this.database, holder);
    const hasIt = last?.passwordHash === user.passwordHash;
    // Where only a provider or a host lets the person in, the password enters what the device knows.
    const known = hasIt ? last : workspace === undefined ? user : undefined;
    const entered = right && known ? await this.enter(holder, known, attempt) : undefined;
    if (entered) return entered;
    this.noteFailure(user, origin);
    throw new PlatformError('INVALID_CREDENTIALS');
  }

  private async deviceTokenOf(tenantId: string, userId: string, purpose: SignInPurpose): Promise<string | undefined> {
    // A provider does not speak for the person, at whose password the device would have guesses of its own.
    if (!isOfPerson(purpose)) return undefined;
    const user = await this.users.readForSignIn(this.database, { tenantId, userId });
    return user ? this.admitted(user, purpose) : undefined;
  }

  /** A sign-in leads to where the person has switched, unless their password does not count there. @returns the device's token */
  private async admitted(user: SignInUser, purpose: SignInPurpose): Promise<string | undefined> {
    const { tenantId, id: userId, passwordHash } = user;
    if (purpose === 'switch' && passwordHash !== null) {
      await this.database.crossTenant(async (tx) => {
        const personId = await this.persons.personOf(tx, userId);
        if (personId !== undefined) await this.persons.noteUse(tx, personId, { tenantId, userId });
      });
    }
    return this.devices.issue(user);
  }

  private noteFailure({ tenantId, id, status }: SignInUser, origin: RequestOrigin): void {
    const reason = status === 'active' ? 'password' : status;
    this.refusals.note({ ...origin, tenantId }, failedSignIn(id, reason));
  }

  /** @throws PlatformError SINGLE_SIGN_ON_REQUIRED, which the workspace can demand since the password was given */
  private async assertStillAdmitted(tx: TenantTransaction, id: string, purpose: SignInPurpose): Promise<User | null> {
    // Sent together: one round trip.
    const [user, { singleSignOn }] = await Promise.all([this.users.find(tx, id), this.policies.read(tx)]);
    if (user?.status !== 'active') return null;
    const refusal = singleSignOn && isOfPerson(purpose) ? await this.passwordRefusal(tx, id) : undefined;
    if (refusal) throw refusal;
    return user;
  }

  /** Why the password of a user is not accepted where the workspace requires single sign-on. */
  private async passwordRefusal(tx: TenantTransaction, id: string): Promise<PlatformError | undefined> {
    const needsProvider = await this.users.needsProvider(tx, tx.tenantId, id);
    return needsProvider ? new PlatformError('SINGLE_SIGN_ON_REQUIRED') : undefined;
  }

  /** What is stored of the password, unless it was changed in the meantime. @returns the hash that is stored */
  private async renew(user: SignInUser, { email, password }: Attempt): Promise<string | null> {
    const { tenantId, id: userId, passwordHash } = user;
    if (passwordHash === null) return null;
    const renewed = await this.passwords.rehash(passwordHash, password);
    if (renewed === undefined) return passwordHash;
    return inWorkspace(this.database, tenantId, async (tx) => {
      await this.persons.holdAddress(tx, email);
      const held = await this.users.hold(tx, tenantId, userId);
      if (held?.passwordHash !== passwordHash) return held?.passwordHash ?? null;
      await this.people.setPasswordOf(tx, { tenantId, userId }, renewed);
      return renewed;
    });
  }
}

/** Returns whether no password signs them in there. */
const isRefused = ({ isSuspended, needsProvider }: SignInUser): boolean => isSuspended || needsProvider;

const isOfPerson = (purpose: SignInPurpose): boolean => purpose !== 'single-sign-on';
