import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database, type TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { PasswordService } from '../../accounts/password/password.service.js';
import { notingFailedProof } from '../../audit/trail/failed-proof.js';
import { RefusedActs } from '../../audit/trail/refused-acts.js';
import { PLATFORM_TENANT } from '../../platform-tenant.js';
import { ProofWays } from '../../sessions/session/proof-ways.js';
import { SessionRepository } from '../../sessions/session/session.repository.js';
import { AuthenticatorService } from '../authenticator/authenticator.service.js';
import { CodeGuessService } from '../code-guess/code-guess.service.js';
import { FactorNoticeService } from '../factor-notice/factor-notice.service.js';
import { SignInLimit } from '../limit/sign-in-limit.js';
import { isRecoveryCode } from '../recovery-code/recovery-code.js';
import { RecoveryCodeService } from '../recovery-code/recovery-code.service.js';

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
    private readonly ways: ProofWays,
  ) {}

  /**
   * Notes the proof at the session of the principal.
   * @throws PlatformError INVALID_CREDENTIALS, RATE_LIMITED; FORBIDDEN for a token without a session
   */
  async prove(principal: Principal, proof: Proof, readPassword: ReadPassword): Promise<void> {
    const { userId, sessionId } = principal;
    if (sessionId === undefined) throw new PlatformError('FORBIDDEN', 'The token belongs to no session');
    const tenantId = principal.kind === 'operator' ? PLATFORM_TENANT : principal.tenantId;
    const hasAuthenticator = await this.database.transaction(tenantId, (tx) => this.authenticators.isInUse(tx, userId));
    const prove = () =>
      hasAuthenticator
        ? this.proveByCode(tenantId, userId, proof.code)
        : this.proveByPassword(tenantId, userId, proof.password, readPassword);
    await this.ways.explaining(tenantId, userId, () =>
      notingFailedProof(this.refusals, { ...principal, tenantId }, userId, prove),
    );
    await this.note(principal);
  }

  /**
   * Notes at the session of the principal that they have proven who they are.
   * @throws PlatformError TOKEN_REVOKED when it has ended; FORBIDDEN for a token without a session
   */
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
