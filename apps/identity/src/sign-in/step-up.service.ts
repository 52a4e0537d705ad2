import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database, type TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { notingFailedProof, RefusedActs } from '../audit/refused-acts.js';
import { UserRepository } from '../people/user.repository.js';
import { PLATFORM_TENANT } from '../platform-tenant.js';
import { AuthenticationMethods } from '../sessions/proof.service.js';
import { SessionRepository } from '../sessions/session.repository.js';
import { AuthenticatorService } from './authenticator.service.js';
import { CodeGuessService } from './code-guess.service.js';
import { FactorNoticeService } from './factor-notice.service.js';
import type { MfaRequired } from './mfa-request.service.js';
import { PasswordService } from './password.service.js';
import { isMfaRequired, ReauthenticationService } from './reauthentication.service.js';
import { isRecoveryCode, RecoveryCodeService } from './recovery-code.service.js';
import { SignInLimit } from './sign-in-limit.js';

/** What proves who uses the session: the code of an authenticator or a recovery code where there is one, else the password. */
export interface Proof {
  password?: string;
  code?: string;
}

/** Reads the stored password of whoever holds the session. */
export type ReadPassword = (tx: TenantTransaction, userId: string) => Promise<string | null | undefined>;

/** Proves within a session who uses it, for changes that need a recent proof. */
@Injectable()
export class StepUpService {
  constructor(
    private readonly database: Database,
    private readonly sessions: SessionRepository,
    private readonly passwords: PasswordService,
    private readonly authenticators: AuthenticatorService,
    private readonly recoveryCodes: RecoveryCodeService,
    private readonly guesses: CodeGuessService,
    private readonly signIns: SignInLimit,
    private readonly refusals: RefusedActs,
    private readonly notices: FactorNoticeService,
    private readonly methods: AuthenticationMethods,
  ) {}

  /** @throws PlatformError INVALID_CREDENTIALS, RATE_LIMITED; FORBIDDEN for a token without a session */
  async prove(principal: Principal, proof: Proof, readPassword: ReadPassword): Promise<void> {
    const { userId, sessionId } = principal;
    if (sessionId === undefined) throw new PlatformError('FORBIDDEN', 'The token belongs to no session');
    const tenantId = principal.kind === 'operator' ? PLATFORM_TENANT : principal.tenantId;
    const hasAuthenticator = await this.database.transaction(tenantId, (tx) => this.authenticators.isInUse(tx, userId));
    const prove = () =>
      hasAuthenticator
        ? this.proveByCode(tenantId, userId, proof.code)
        : this.proveByPassword(tenantId, userId, proof.password, readPassword);
    await this.methods.explaining(tenantId, userId, () =>
      notingFailedProof(this.refusals, { ...principal, tenantId }, userId, prove),
    );
    await this.note(principal);
  }

  /** @throws PlatformError TOKEN_REVOKED when the session has ended; FORBIDDEN for a token without a session */
  async note(principal: Principal): Promise<void> {
    const { userId, sessionId } = principal;
    if (sessionId === undefined) throw new PlatformError('FORBIDDEN', 'The token belongs to no session');
    const tenantId = principal.kind === 'operator' ? PLATFORM_TENANT : principal.tenantId;
    const open = await this.database.transaction(tenantId, (tx) => this.sessions.markProven(tx, userId, sessionId));
    if (!open) throw new PlatformError('TOKEN_REVOKED');
  }

  private async proveByCode(tenantId: string, userId: string, code: string | undefined): Promise<void> {
    if (code === undefined) throw new PlatformError('INVALID_CREDENTIALS', 'A code of the authenticator is required');
    await this.guesses.take(tenantId, userId, 'session');
    const right = await this.database.transaction(tenantId, async (tx) => {
      if (!isRecoveryCode(code)) return this.authenticators.accepts(tx, userId, code);
      const accepted = await this.recoveryCodes.accepts(tx, userId, code);
      if (accepted) await this.notices.send(tx, userId, { change: 'recovery-code-used' });
      return accepted;
    });
    if (!right) throw new PlatformError('INVALID_CREDENTIALS', 'The code is wrong or no longer valid');
    await this.guesses.clear(tenantId, userId, 'session');
  }

  private async proveByPassword(
    tenantId: string,
    userId: string,
    password: string | undefined,
    readPassword: ReadPassword,
  ): Promise<void> {
    if (password === undefined) throw new PlatformError('INVALID_CREDENTIALS', 'The password is required');
    await this.signIns.attempt(`step-up:${userId}`, userId, async () => {
      const stored = await this.database.transaction(tenantId, (tx) => readPassword(tx, userId));
      const right = await this.passwords.matches(stored, password, userId);
      if (!right) throw new PlatformError('INVALID_CREDENTIALS', 'The password is wrong');
    });
  }
}

export interface UserProof extends Proof {
  challengeId?: string;
}

@Injectable()
export class UserStepUpService {
  constructor(
    private readonly database: Database,
    private readonly users: UserRepository,
    private readonly authenticators: AuthenticatorService,
    private readonly stepUps: StepUpService,
    private readonly reauthentication: ReauthenticationService,
    private readonly methods: AuthenticationMethods,
  ) {}

  /**
   * Where the second factor is a code by mail, the password alone could set up an authenticator in its place.
   * @returns what the second call must answer, when nothing was noted yet
   * @throws PlatformError INVALID_CREDENTIALS, RATE_LIMITED; FORBIDDEN for a token without a session
   */
  async prove(principal: Principal, proof: UserProof): Promise<MfaRequired | undefined> {
    const { tenantId, userId } = principal;
    const [user, hasAuthenticator] = await this.database.transaction(tenantId, (tx) =>
      Promise.all([this.users.find(tx, userId), this.authenticators.isInUse(tx, userId)]),
    );
    if (hasAuthenticator || !user?.mfaEnabled) {
      await this.stepUps.prove(principal, proof, async (tx, id) => (await this.users.find(tx, id))?.passwordHash);
      return undefined;
    }
    const { password, ...answer } = proof;
    const outcome = await this.methods.explaining(tenantId, userId, async () => {
      if (password === undefined) throw new PlatformError('INVALID_CREDENTIALS', 'The password is required');
      return this.reauthentication.prove(principal, { password, ...answer });
    });
    if (isMfaRequired(outcome)) return outcome;
    await this.stepUps.note(principal);
    return undefined;
  }
}
