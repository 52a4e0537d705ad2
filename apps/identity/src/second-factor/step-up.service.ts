import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database, type TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { notingFailedProof, RefusedActs } from '../audit/refused-acts.js';
import { CodeGuessService } from '../guesses/code-guess.service.js';
import { SignInLimit } from '../guesses/sign-in-limit.js';
import { PasswordService } from '../passwords/password.service.js';
import { UserRepository } from '../people/user.repository.js';
import { tenantOf } from '../platform-tenant.js';
import { AuthenticationMethods } from '../sessions/authentication-methods.js';
import { RecentProof, sessionOf } from '../sessions/recent-proof.js';
import { AuthenticatorService } from './authenticator.service.js';
import { type MfaRequired } from './mfa-request.service.js';
import { isMfaRequired, ReauthenticationService, wrongCode, wrongPassword } from './reauthentication.service.js';
import type { StepUpInput, UserStepUpInput } from './second-factor.dto.js';

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
