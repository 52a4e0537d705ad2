import { PlatformError } from '@crm/contracts';
import { Database, NO_TENANT, type TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { AuditTrail, byUser } from '../audit/audit-trail.service.js';
import { failedSignIn, noting, RefusedActs, refusedSignIn } from '../audit/refused-acts.js';
import type { RequestOrigin } from '../audit/request-origin.decorator.js';
import { SignInEmailRepository } from '../people/email.repository.js';
import type { User } from '../people/people.entity.js';
import { type SignInUser, UserRepository } from '../people/people.repository.js';
import { normaliseEmail } from '../people/people.service.js';
import { SessionService, type SignInOrigin } from '../sessions/session.service.js';
import { DeviceTokens, type KnownDevice, type SignInOutcome } from './device-tokens.js';
import { SignInPolicyRepository } from './factor.repository.js';
import { SignInLimit } from './guess-limits.js';
import { type Enrolled, MfaRequestService, MfaService, SIGN_INS, type SignInAnswer } from './mfa.service.js';
import { PasswordService } from './password.service.js';
import type { AuthenticatorView } from './sign-in.dto.js';
import type { SignInPurpose } from './sign-in.entity.js';

/** What was proven before the second factor, for the audit trail. */
const FIRST_PROOFS: Readonly<Record<SignInPurpose, string>> = {
  'sign-in': 'password',
  'single-sign-on': 'identity_provider',
};

/** Looked up for an address without an account, which takes the same time. */
const NOBODY = { tenantId: NO_TENANT, userId: NO_TENANT };

@Injectable()
export class SignInService {
  constructor(
    private readonly database: Database,
    private readonly users: UserRepository,
    private readonly emails: SignInEmailRepository,
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
    email: string,
    password: string,
    origin: RequestOrigin,
    deviceToken?: string,
  ): Promise<SignInUser> {
    const account = normaliseEmail(email);
    const attempt = async () => {
      const holder = await this.emails.findHolder(this.database, account);
      const user = await this.users.readForSignIn(this.database, holder ?? NOBODY);
      // Who has proven the address comes first; then one hash finds the claim, so that its time does not tell how many there are.
      const proven = (await this.prove(user, password, origin)) ?? (await this.proveClaim(account, password, origin));
      if (proven) return proven;
      // A claim learns nothing of attempts: it may be somebody else's.
      if (user) this.noteFailure(user, origin);
      throw new PlatformError('INVALID_CREDENTIALS');
    };
    const device = this.devices.read(deviceToken);
    const byDevice = device && { id: device.id, attempt: () => this.authenticateOn(device, account, password, origin) };
    return this.limit.guess(`user:${account}`, origin.address, attempt, byDevice);
  }

  /**
   * Where the workspace requires single sign-on, only owners get in by a password.
   * @throws PlatformError SINGLE_SIGN_ON_REQUIRED, WORKSPACE_SUSPENDED, INVALID_CREDENTIALS, RATE_LIMITED when too many
   * codes were asked for
   */
  async admit(user: SignInUser, origin: SignInOrigin): Promise<SignInOutcome<SignInAnswer>> {
    if (user.initialPassword) {
      return { answer: { passwordChangeRequired: true, expiresIn: 0 }, deviceToken: undefined };
    }
    const demandOf = async (tx: TenantTransaction) => {
      const { secondFactor, singleSignOn } = await this.policies.read(tx);
      return {
        // An owner gets in when the identity provider fails, but never by a password alone: not even to set up an authenticator.
        mailCode: user.mfaEnabled || singleSignOn,
        enrolment: secondFactor === 'required',
        refusal: passwordRefusal(singleSignOn, user),
      };
    };
    const { tenantId, id, signInEpoch: epoch } = user;
    const secondFactor = this.requests.before(user, 'sign-in', demandOf);
    const answer = await noting(this.refusals, { ...origin, tenantId }, refusedSignIn(id, 'password'), () =>
      this.sessions.open(tenantId, id, { ...origin, method: 'password', epoch }, secondFactor),
    );
    return { answer, deviceToken: 'accessToken' in answer ? this.devices.issue(user) : undefined };
  }

  async verifyCode(challengeId: string, code: string, origin: SignInOrigin): Promise<SignInOutcome> {
    return this.limit.attempt(`challenge:${challengeId}`, origin.address, async () => {
      const verified = await this.mfa.verify('users', challengeId, code, SIGN_INS, origin);
      const { tenantId, id, purpose, epoch, provenAt } = verified;
      await this.database.transaction(tenantId, (tx) => this.assertStillAdmitted(tx, id, purpose));
      const method = `${FIRST_PROOFS[purpose]}+${verified.method}`;
      const answer = await this.sessions.open(tenantId, id, { ...origin, method, epoch, provenAt });
      return { answer, deviceToken: await this.deviceTokenOf(tenantId, id) };
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
    const proven = { ...origin, method, epoch, provenAt };
    const answer = { ...(await this.sessions.open(tenantId, id, proven)), recoveryCodes };
    return { answer, deviceToken: await this.deviceTokenOf(tenantId, id) };
  }

  /**
   * Only the password of its own user counts: whoever registers with somebody's address has devices of that
   * registration only.
   * @returns undefined where the device is not one of the account's, before anything is hashed
   */
  private async authenticateOn(
    device: KnownDevice,
    account: string,
    password: string,
    origin: RequestOrigin,
  ): Promise<SignInUser | undefined> {
    const holder = await this.emails.findHolder(this.database, account);
    const isHolder = holder?.userId === device.userId;
    const own = isHolder ? holder : await this.emails.findClaimOf(this.database, account, device.userId);
    const user = own && (await this.users.readForSignIn(this.database, own));
    if (!user || !this.devices.isOf(device, user)) return undefined;
    const proven = await this.prove(user, password, origin);
    if (proven) return proven;
    if (isHolder) this.noteFailure(user, origin);
    throw new PlatformError('INVALID_CREDENTIALS');
  }

  /** @returns the user as they are afterwards; undefined for a wrong password and for one who may not sign in */
  private async prove(
    user: SignInUser | null,
    password: string,
    { address }: RequestOrigin,
  ): Promise<SignInUser | undefined> {
    const right = await this.passwords.matches(user?.passwordHash, password, address);
    if (!right || user?.status !== 'active') return undefined;
    return { ...user, passwordHash: await this.renewHash(user, password) };
  }

  private async deviceTokenOf(tenantId: string, userId: string): Promise<string | undefined> {
    const user = await this.users.readForSignIn(this.database, { tenantId, userId });
    return user ? this.devices.issue(user) : undefined;
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
    const refusal = purpose === 'sign-in' ? passwordRefusal(singleSignOn, user) : undefined;
    if (refusal) throw refusal;
    return user;
  }

  /** Unless the password was changed in the meantime. @returns the hash that is stored */
  private async renewHash({ tenantId, id, passwordHash }: SignInUser, password: string): Promise<string | null> {
    const renewed = passwordHash === null ? undefined : await this.passwords.rehash(passwordHash, password);
    if (renewed === undefined) return passwordHash;
    return this.database.transaction(tenantId, async (tx) => {
      const user = await this.users.lock(tx, id);
      if (user?.passwordHash !== passwordHash) return user?.passwordHash ?? null;
      await this.users.update(tx, id, { passwordHash: renewed });
      return renewed;
    });
  }

  /** Who has registered with the address and the password, and has not verified it yet. */
  private async proveClaim(email: string, password: string, origin: RequestOrigin): Promise<SignInUser | undefined> {
    const key = await this.passwords.claimKey(email, password, origin.address);
    const claim = await this.emails.findClaimByPassword(this.database, email, key);
    // The key finds an account, whose own hash decides.
    return claim && this.prove(await this.users.readForSignIn(this.database, claim), password, origin);
  }
}

/** Why the password of a user is not accepted where the workspace requires single sign-on: only owners get in by one. */
const passwordRefusal = (singleSignOn: boolean, { roles }: Pick<User, 'roles'>): PlatformError | undefined =>
  singleSignOn && !roles.includes('owner') ? new PlatformError('SINGLE_SIGN_ON_REQUIRED') : undefined;
