import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database, type TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { notingFailedProof, RefusedActs } from '../audit/refused-acts.js';
import type { User } from '../people/people.entity.js';
import { UserRepository } from '../people/people.repository.js';
import { tenantOf } from '../platform-tenant.js';
import { PersonSessionService } from '../sessions/person-session.service.js';
import { AuthenticationMethods, RecentProof, sessionOf } from '../sessions/proof.service.js';
import { AuthenticatorService } from './authenticator.service.js';
import { CodeGuessService, SignInLimit } from './guess-limits.js';
import { MfaRequestService, type MfaRequired, MfaService } from './mfa.service.js';
import { PasswordService } from './password.service.js';
import type { StepUpInput, UserStepUpInput } from './sign-in.dto.js';

export const isMfaRequired = (outcome: object): outcome is MfaRequired => 'mfaRequired' in outcome;

/** Has the user of a token prove again who they are, before a change of the account that a stolen token must not make. */
@Injectable()
export class ReauthenticationService {
  constructor(
    private readonly database: Database,
    private readonly users: UserRepository,
    private readonly passwords: PasswordService,
    private readonly limit: SignInLimit,
    private readonly requests: MfaRequestService,
    private readonly mfa: MfaService,
    private readonly refusals: RefusedActs,
    private readonly recent: RecentProof,
    private readonly ofPerson: PersonSessionService,
  ) {}

  /**
   * @param admit refuses, once the password is right
   * @returns the user, or what the second call must answer where the second factor is on
   * @throws PlatformError INVALID_CREDENTIALS, STEP_UP_REQUIRED, RATE_LIMITED, SERVICE_UNAVAILABLE
   */
  async prove(
    principal: Principal,
    { password, challengeId, code }: UserStepUpInput,
    admit?: () => Promise<void>,
  ): Promise<User | MfaRequired> {
    const { tenantId, userId } = principal;
    const user = await notingFailedProof(this.refusals, principal, userId, () =>
      this.checkPassword('reauthentication', principal, password),
    );
    // What follows changes the person, for whom the provider of one workspace does not speak.
    if (user.passwordHash === null) await this.ofPerson.assertOfPerson(principal);
    await admit?.();
    if (challengeId === undefined || code === undefined) {
      const demandOf = async () => ({ mailCode: user.mfaEnabled, enrolment: false });
      const needed = await this.requests.begin(user, 'reauthentication', demandOf);
      return needed !== null && isMfaRequired(needed) ? needed : user;
    }
    return this.limit.attempt(`challenge:${challengeId}`, userId, async () => {
      const proven = await this.mfa.verify('users', challengeId, code, ['reauthentication'], principal);
      if (proven.id !== userId || proven.tenantId !== tenantId) throw wrongCode();
      return user;
    });
  }

  /** Like {@link prove}, for a change in every workspace of the person: no code of a weaker workspace is asked for. */
  proveForPerson(principal: Principal, proof: UserStepUpInput): Promise<User | MfaRequired> {
    return this.prove(principal, proof, () => this.ofPerson.assertSecondFactor(principal));
  }

  /**
   * @param purpose attempts are counted for each
   * @param password of the user, who needs a recent proof in its place where they have none
   * @throws PlatformError INVALID_CREDENTIALS, STEP_UP_REQUIRED, RATE_LIMITED, SERVICE_UNAVAILABLE
   */
  checkPassword(purpose: string, principal: Principal, password: string | undefined): Promise<User> {
    const { tenantId, userId } = principal;
    return this.limit.attempt(`${purpose}:${userId}`, userId, async () => {
      const user = await this.database.transaction(tenantId, (tx) => this.users.find(tx, userId));
      if (user?.passwordHash === null && password === undefined) {
        await this.recent.assert(principal);
        return user;
      }
      const right = password !== undefined && (await this.passwords.matches(user?.passwordHash, password, userId));
      if (!right || user?.status !== 'active') throw wrongPassword();
      return user;
    });
  }
}

/** Proves within a session who uses it, for changes that need a recent proof. */
@Injectable()
export class StepUpService {
  constructor(
    private readonly database: Database,
    private readonly users: UserRepository,
    private readonly passwords: PasswordService,
    private readonly authenticators: AuthenticatorService,
    private readonly guesses: CodeGuessService,
    private readonly limit: SignInLimit,
    private readonly refusals: RefusedActs,
    private readonly reauthentication: ReauthenticationService,
    private readonly methods: AuthenticationMethods,
    private readonly recent: RecentProof,
  ) {}

  /**
   * Notes the proof at the session: the code of an authenticator or a recovery code where there is one, else the password.
   * @param readPassword reads the stored password of the session's user
   * @throws PlatformError INVALID_CREDENTIALS, RATE_LIMITED; FORBIDDEN for a token without a session
   */
  async prove(
    principal: Principal,
    { password, code }: StepUpInput,
    readPassword: (tx: TenantTransaction, userId: string) => Promise<string | null | undefined>,
  ): Promise<void> {
    const { userId } = principal;
    sessionOf(principal);
    const tenantId = tenantOf(principal);
    const hasAuthenticator = await this.database.transaction(tenantId, (tx) => this.authenticators.isInUse(tx, userId));
    const provePassword = async () => {
      if (password === undefined) throw passwordRequiredError();
      await this.limit.attempt(`step-up:${userId}`, userId, async () => {
        const stored = await this.database.transaction(tenantId, (tx) => readPassword(tx, userId));
        if (!(await this.passwords.matches(stored, password, userId))) throw wrongPassword();
      });
    };
    const prove = hasAuthenticator ? () => this.proveByCode(tenantId, userId, code) : provePassword;
    await this.methods.explaining(tenantId, userId, () =>
      notingFailedProof(this.refusals, { ...principal, tenantId }, userId, prove),
    );
    await this.recent.note(principal);
  }

  /**
   * Where the second factor is a code by mail, the password alone could set up an authenticator in its place.
   * @returns what the second call must answer, when nothing was noted yet
   * @throws PlatformError INVALID_CREDENTIALS, RATE_LIMITED; FORBIDDEN for a token without a session
   */
  async proveUser(principal: Principal, proof: UserStepUpInput): Promise<MfaRequired | undefined> {
    const { tenantId, userId } = principal;
    const [user, hasAuthenticator] = await this.database.transaction(tenantId, (tx) =>
      Promise.all([this.users.find(tx, userId), this.authenticators.isInUse(tx, userId)]),
    );
    if (hasAuthenticator || !user?.mfaEnabled) {
      await this.prove(principal, proof, async (tx, id) => (await this.users.find(tx, id))?.passwordHash);
      return undefined;
    }
    const outcome = await this.methods.explaining(tenantId, userId, async () => {
      if (proof.password === undefined) throw passwordRequiredError();
      return this.reauthentication.prove(principal, proof);
    });
    if (isMfaRequired(outcome)) return outcome;
    await this.recent.note(principal);
    return undefined;
  }

  private async proveByCode(tenantId: string, userId: string, code: string | undefined): Promise<void> {
    if (code === undefined)
      throw new PlatformError('INVALID_CREDENTIALS', 'A code from the authenticator app is required');
    await this.guesses.take(tenantId, userId, 'session');
    const right = await this.database.transaction(tenantId, (tx) => this.authenticators.accepts(tx, userId, code));
    if (!right) throw wrongCode();
    await this.guesses.clear(tenantId, userId, 'session');
  }
}

const passwordRequiredError = () => new PlatformError('INVALID_CREDENTIALS', 'The password is required');
export const wrongPassword = () => new PlatformError('INVALID_CREDENTIALS', 'The password is wrong');
const wrongCode = () => new PlatformError('INVALID_CREDENTIALS', 'The code is wrong or has expired');
