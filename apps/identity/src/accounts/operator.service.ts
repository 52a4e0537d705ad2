import type { Principal } from '@crm/access';
import { type OperatorAct, PlatformError, type TokenPair } from '@crm/contracts';
import { Database, type TenantTransaction } from '@crm/database';
import { actingOperator, recordFailedSignIn, recordOperatorAct } from '@crm/operator-audit';
import { Inject, Injectable } from '@nestjs/common';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { normaliseEmail } from '../people/people.service.js';
import { PLATFORM_TENANT } from '../platform-tenant.js';
import { sessionView } from '../sessions/caller.service.js';
import { RecentProof } from '../sessions/proof.service.js';
import type { SessionView } from '../sessions/session.dto.js';
import type { SignInOrigin } from '../sessions/session.service.js';
import { AuthenticatorService } from '../sign-in/authenticator.service.js';
import { DeviceTokens, type SignInOutcome } from '../sign-in/device-tokens.js';
import { SignInLimit } from '../sign-in/guess-limits.js';
import { type Enrolled, MfaRequestService, MfaService } from '../sign-in/mfa.service.js';
import { PasswordService } from '../sign-in/password.service.js';
import type { AuthenticatorView, SignInView, StepUpInput } from '../sign-in/sign-in.dto.js';
import { StepUpService } from '../sign-in/step-up.service.js';
import type { Operator } from './accounts.entity.js';
import { OperatorRepository } from './accounts.repository.js';
import { AfterResponse } from './after-response.service.js';
import type { OperatorSignInInput, OperatorView } from './operator.dto.js';
import { OperatorPasswordService } from './operator-password.service.js';
import { OperatorSessionService } from './operator-session.service.js';

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
    private readonly requests: MfaRequestService,
    private readonly mfa: MfaService,
    private readonly stepUps: StepUpService,
    private readonly authenticators: AuthenticatorService,
    private readonly proof: RecentProof,
    private readonly afterResponse: AfterResponse,
    private readonly devices: DeviceTokens,
    private readonly ownPasswords: OperatorPasswordService,
    @Inject(IDENTITY_CONFIG) private readonly config: IdentityConfig,
  ) {}

  /** @throws PlatformError INVALID_CREDENTIALS, RATE_LIMITED; VALIDATION_FAILED, WEAK_PASSWORD for a `newPassword` */
  async signIn(
    { email, password, newPassword }: OperatorSignInInput,
    origin: SignInOrigin,
    deviceToken?: string,
  ): Promise<SignInOutcome<SignInView>> {
    const account = normaliseEmail(email);
    const attempt = async () => this.prove(await this.find(account), password, origin);
    const device = this.devices.read(deviceToken);
    const byDevice = device && {
      id: device.id,
      attempt: async () => {
        const operator = await this.find(account);
        // Before anything is hashed.
        return operator && this.devices.isOf(device, operator) ? this.prove(operator, password, origin) : undefined;
      },
    };
    const proven = await this.limit.guess(`operator:${account}`, origin.address, attempt, byDevice);
    const operator = await this.ownPasswords.assureOwn(proven, { password, newPassword }, origin.address);
    // No codes by mail for operators: a mailbox is not a second factor for the platform itself.
    const demandOf = async () => ({ mailCode: false, enrolment: this.config.operatorSecondFactor });
    const secondFactor = this.requests.before(operator, 'sign-in', demandOf);
    const signIn = { ...origin, method: 'password', epoch: operator.signInEpoch };
    const answer = await this.sessions.open(PLATFORM_TENANT, operator.id, signIn, secondFactor);
    return { answer, deviceToken: 'accessToken' in answer ? this.devices.issue(operator) : undefined };
  }

  async verifyCode(challengeId: string, code: string, origin: SignInOrigin): Promise<SignInOutcome> {
    return this.limit.attempt(`challenge:${challengeId}`, origin.address, async () => {
      const { id, method, epoch } = await this.mfa.verify('operators', challengeId, code, ['sign-in'], origin);
      const proven = { ...origin, method: `password+${method}`, epoch };
      const answer = await this.sessions.open(PLATFORM_TENANT, id, proven);
      return { answer, deviceToken: await this.deviceTokenOf(id) };
    });
  }

  async startEnrolment(token: string): Promise<AuthenticatorView> {
    return this.mfa.startEnrolment('operators', token, async (tx, id) => {
      const operator = await this.operators.find(tx, id);
      return operator?.status === 'active' ? operator.email : undefined;
    });
  }

  async confirmEnrolment(token: string, code: string, origin: SignInOrigin): Promise<SignInOutcome<Enrolled>> {
    const { id, recoveryCodes, epoch } = await this.mfa.confirmEnrolment('operators', token, code);
    const proven = { ...origin, method: 'password+authenticator', epoch };
    const answer = { ...(await this.sessions.open(PLATFORM_TENANT, id, proven)), recoveryCodes };
    return { answer, deviceToken: await this.deviceTokenOf(id) };
  }

  async refresh(refreshToken: string, origin: SignInOrigin): Promise<TokenPair> {
    return this.sessions.refresh(refreshToken, origin);
  }

  async describe({ userId }: Principal): Promise<OperatorView> {
    return this.inPlatform(async (tx) => {
      const operator = await this.operators.find(tx, userId);
      if (!operator) throw new PlatformError('NOT_FOUND', 'Operator not found');
      return operatorView(operator, await this.authenticators.isInUse(tx, userId));
    });
  }

  async listSessions({ userId, sessionId }: Principal): Promise<SessionView[]> {
    const { data } = await this.sessions.list(PLATFORM_TENANT, userId, { size: MOST_SESSIONS });
    return data.map((session) => sessionView(session, sessionId));
  }

  async endSession(principal: Principal, sessionId: string): Promise<void> {
    await this.inPlatform(async (tx) => {
      const found = await this.sessions.endWithin(tx, principal.userId, sessionId);
      if (!found) throw new PlatformError('NOT_FOUND', 'Session not found');
      await recordOwnAct(tx, principal, 'operator.sign-out', { sessions: [sessionId] });
    });
    await this.sessions.forget([sessionId]);
  }

  async endAllSessions(principal: Principal): Promise<void> {
    const ended = await this.inPlatform(async (tx) => {
      const sessions = await this.sessions.endAllWithin(tx, principal.userId);
      await recordOwnAct(tx, principal, 'operator.sign-out', { sessions });
      return sessions;
    });
    await this.sessions.forget(ended);
  }

  async stepUp(principal: Principal, proof: StepUpInput): Promise<void> {
    await this.stepUps.prove(principal, proof, async (tx, id) => {
      // Who has no authenticator has signed in with a passkey: the password alone does not sign in either.
      if (this.config.operatorSecondFactor) return null;
      return (await this.operators.find(tx, id))?.passwordHash;
    });
  }

  /** @throws PlatformError STEP_UP_REQUIRED, CONFLICT without an authenticator */
  async replaceRecoveryCodes(principal: Principal): Promise<string[]> {
    return this.inPlatform(async (tx) => {
      // Held, so that nothing ends the session between the proof and the change.
      await this.operators.lock(tx, principal.userId);
      await this.proof.assertWithin(tx, principal);
      if (!(await this.authenticators.isInUse(tx, principal.userId))) {
        throw new PlatformError('CONFLICT', 'Set up an authenticator app before you create recovery codes');
      }
      await recordOwnAct(tx, principal, 'operator.replace-recovery-codes');
      return this.authenticators.replaceRecoveryCodes(tx, principal.userId);
    });
  }

  private find(account: string): Promise<Operator | null> {
    return this.inPlatform((tx) => this.operators.findByEmail(tx, account));
  }

  private async prove(operator: Operator | null, password: string, origin: SignInOrigin): Promise<Operator> {
    const right = await this.passwords.matches(operator?.passwordHash, password, origin.address);
    if (right && operator?.status === 'active' && !hasLapsed(operator)) return operator;
    // For unknown addresses too: neither the answer nor its time says whether there is such an operator.
    this.afterResponse.run('failed sign-in of an operator', async () => {
      if (operator) await this.recordFailure(operator, right, origin);
    });
    throw new PlatformError('INVALID_CREDENTIALS');
  }

  private async deviceTokenOf(id: string): Promise<string | undefined> {
    const operator = await this.inPlatform((tx) => this.operators.find(tx, id));
    return operator ? this.devices.issue(operator) : undefined;
  }

  /** An address that belongs to nobody is not recorded: it may be a password in the wrong field. */
  private async recordFailure(operator: Operator, passwordWasRight: boolean, origin: SignInOrigin): Promise<void> {
    const { id, email } = operator;
    const status = operator.status === 'active' ? 'initial password has lapsed' : operator.status;
    await this.inPlatform((tx) =>
      recordFailedSignIn(tx, operator, {
        subject: { kind: 'operator', id, name: email },
        findings: { ...origin, reason: passwordWasRight ? status : 'wrong password' },
      }),
    );
  }

  private inPlatform<T>(work: (tx: TenantTransaction) => Promise<T>): Promise<T> {
    return this.database.transaction(PLATFORM_TENANT, work);
  }
}

/** Returns whether the password is one that the one who created the operator chose, and was not replaced in time. */
const hasLapsed = ({ initialPasswordUntil }: Operator): boolean =>
  initialPasswordUntil !== null && initialPasswordUntil.getTime() <= Date.now();

async function recordOwnAct(
  tx: TenantTransaction,
  principal: Principal,
  act: OperatorAct,
  findings?: Record<string, unknown>,
): Promise<void> {
  const subject = { kind: 'operator', id: principal.userId } as const;
  await recordOperatorAct(tx, { operator: actingOperator(principal), act, subject, findings });
}

export function operatorView(operator: Operator, authenticator: boolean): OperatorView {
  const { id, email, name, role, status, linkedTenantId, createdAt } = operator;
  return { id, email, name, role, status, linkedTenantId, authenticator, createdAt: createdAt.toISOString() };
}
