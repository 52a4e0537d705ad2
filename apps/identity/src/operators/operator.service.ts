import type { Principal } from '@crm/context';
import {
  type OperatorSession,
  type OperatorSignIn,
  type OperatorView,
  PlatformError,
  type TokenPair,
} from '@crm/contracts';
import { Database, type TenantTransaction } from '@crm/database';
import { Inject, Injectable } from '@nestjs/common';
import { PasswordService } from '../accounts/password/password.service.js';
import { normaliseEmail } from '../accounts/user/email-address.js';
import { failedSignIn } from '../audit/trail/failed-sign-in.js';
import { RefusedActs } from '../audit/trail/refused-acts.js';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { PLATFORM_TENANT } from '../platform-tenant.js';
import { RecentProof } from '../sessions/session/recent-proof.js';
import { sessionView } from '../sessions/session/session-view.js';
import type { SignInOrigin } from '../sessions/session/sessions.js';
import { AuthenticatorService, type NewAuthenticator } from '../sign-in/authenticator/authenticator.service.js';
import { SignInLimit } from '../sign-in/limit/sign-in-limit.js';
import { MfaService } from '../sign-in/mfa/mfa.service.js';
import { RecoveryCodeService } from '../sign-in/recovery-code/recovery-code.service.js';
import { type Proof, StepUpService } from '../sign-in/step-up/step-up.service.js';
import type { Operator } from './operator.entity.js';
import { OperatorRepository } from './operator.repository.js';
import { OperatorSessionService } from './operator-session.service.js';

/** Sessions in one answer; an operator has a few. */
const MOST_SESSIONS = 200;

/** What operators do with their own account: sign in by password and authenticator, prove themselves again, end sessions. */
@Injectable()
export class OperatorService {
  constructor(
    private readonly database: Database,
    private readonly operators: OperatorRepository,
    private readonly sessions: OperatorSessionService,
    private readonly passwords: PasswordService,
    private readonly limit: SignInLimit,
    private readonly mfa: MfaService,
    private readonly stepUps: StepUpService,
    private readonly authenticators: AuthenticatorService,
    private readonly recoveryCodes: RecoveryCodeService,
    private readonly proof: RecentProof,
    private readonly refusals: RefusedActs,
    @Inject(IDENTITY_CONFIG) private readonly config: IdentityConfig,
  ) {}

  /**
   * @returns tokens, or what the sign-in still needs: a code of the authenticator or, in production, to set one up
   * @throws PlatformError INVALID_CREDENTIALS, RATE_LIMITED
   */
  async signIn(email: string, password: string, origin: SignInOrigin): Promise<OperatorSignIn> {
    const normalised = normaliseEmail(email);
    const operator = await this.limit.attempt(`operator:${normalised}`, origin.address, async () => {
      const found = await this.inPlatform((tx) => this.operators.findByEmail(tx, normalised));
      const right = await this.passwords.matches(found?.passwordHash, password);
      if (right && found?.status === 'active') return found;
      const from = { ...origin, tenantId: PLATFORM_TENANT };
      if (found) this.refusals.note(from, failedSignIn(found.id, 'password', 'operators'));
      throw new PlatformError('INVALID_CREDENTIALS');
    });
    // No codes by mail for operators: a mailbox is not a second factor for the platform itself.
    const demandOf = async () => ({ mailCode: false, enrolment: this.config.operatorSecondFactor });
    return (
      (await this.mfa.begin(operator, demandOf)) ??
      this.sessions.open(PLATFORM_TENANT, operator.id, { ...origin, method: 'password' })
    );
  }

  /** @throws PlatformError INVALID_CREDENTIALS, RATE_LIMITED */
  async verifyCode(challengeId: string, code: string, origin: SignInOrigin): Promise<TokenPair> {
    return this.limit.attempt(`challenge:${challengeId}`, origin.address, async () => {
      const { id, method } = await this.mfa.verify('operators', challengeId, code, origin);
      return this.sessions.open(PLATFORM_TENANT, id, { ...origin, method: `password+${method}` });
    });
  }

  /** @throws PlatformError INVALID_CREDENTIALS for a token that is not valid, CONFLICT */
  async startEnrolment(token: string): Promise<NewAuthenticator> {
    return this.mfa.startEnrolment('operators', token, async (tx, id) => {
      const operator = await this.operators.find(tx, id);
      return operator?.status === 'active' ? operator.email : undefined;
    });
  }

  /** @throws PlatformError INVALID_CREDENTIALS for a token that is not valid and for a wrong code, CONFLICT */
  async confirmEnrolment(
    token: string,
    code: string,
    origin: SignInOrigin,
  ): Promise<TokenPair & { recoveryCodes: string[] }> {
    const { id, recoveryCodes } = await this.mfa.confirmEnrolment('operators', token, code);
    return { ...(await this.sessions.open(PLATFORM_TENANT, id, origin)), recoveryCodes };
  }

  /** @throws PlatformError INVALID_REFRESH_TOKEN */
  async refresh(refreshToken: string, origin: SignInOrigin): Promise<TokenPair> {
    return this.sessions.refresh(refreshToken, origin);
  }

  async describe({ userId }: Principal): Promise<OperatorView> {
    return this.inPlatform(async (tx) => {
      const operator = await this.operators.find(tx, userId);
      if (!operator) throw new PlatformError('NOT_FOUND', 'There is no such operator');
      return operatorView(operator, await this.authenticators.isInUse(tx, userId));
    });
  }

  async listSessions({ userId, sessionId }: Principal): Promise<OperatorSession[]> {
    const { data } = await this.sessions.list(PLATFORM_TENANT, userId, { size: MOST_SESSIONS });
    return data.map((session) => sessionView(session, sessionId));
  }

  /** @throws PlatformError NOT_FOUND */
  async endSession(principal: Principal, sessionId: string): Promise<void> {
    const by = { ...principal, tenantId: PLATFORM_TENANT };
    const found = await this.sessions.end(by, principal.userId, sessionId);
    if (!found) throw new PlatformError('NOT_FOUND', 'There is no such session');
  }

  async endAllSessions(principal: Principal): Promise<void> {
    await this.sessions.endAll({ ...principal, tenantId: PLATFORM_TENANT }, principal.userId);
  }

  /** @throws PlatformError INVALID_CREDENTIALS, RATE_LIMITED */
  async stepUp(principal: Principal, proof: Proof): Promise<void> {
    await this.stepUps.prove(principal, proof, async (tx, id) => (await this.operators.find(tx, id))?.passwordHash);
  }

  /** @throws PlatformError STEP_UP_REQUIRED, CONFLICT without an authenticator */
  async replaceRecoveryCodes(principal: Principal): Promise<string[]> {
    await this.proof.assert(principal);
    return this.inPlatform(async (tx) => {
      if (!(await this.authenticators.isInUse(tx, principal.userId))) {
        throw new PlatformError('CONFLICT', 'Recovery codes belong to an authenticator');
      }
      return this.recoveryCodes.replace(tx, principal.userId);
    });
  }

  private inPlatform<T>(work: (tx: TenantTransaction) => Promise<T>): Promise<T> {
    return this.database.transaction(PLATFORM_TENANT, work);
  }
}

export function operatorView(operator: Operator, authenticator: boolean): OperatorView {
  const { id, email, name, role, status, linkedTenantId, createdAt } = operator;
  return { id, email, name, role, status, linkedTenantId, authenticator, createdAt: createdAt.toISOString() };
}
