import { type Principal, ProofSource } from '@crm/access';
import { type ErrorCode, PlatformError } from '@crm/contracts';
import { Database, type TenantTransaction } from '@crm/database';
import { Inject, Injectable } from '@nestjs/common';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { PLATFORM_TENANT, tenantOf } from '../platform-tenant.js';
import { SessionRepository } from './session.repository.js';

/** A provider counts where it can say that it has asked for a second factor. $1: tenant, $2: user or operator. */
export const READ_AUTHENTICATION_METHODS = `
  SELECT
    EXISTS (SELECT 1 FROM passkey WHERE tenant_id = $1 AND user_id = $2) AS passkey,
    EXISTS (SELECT 1 FROM authenticator
             WHERE tenant_id = $1 AND user_id = $2 AND confirmed_at IS NOT NULL) AS authenticator,
    EXISTS (SELECT 1 FROM app_user WHERE tenant_id = $1 AND id = $2 AND password_hash IS NOT NULL)
      OR EXISTS (SELECT 1 FROM operator WHERE tenant_id = $1 AND id = $2) AS password,
    EXISTS (SELECT 1 FROM provider_link l
              JOIN identity_provider p ON p.tenant_id = l.tenant_id AND p.issuer = l.issuer
              JOIN app_user u ON u.tenant_id = l.tenant_id AND u.id = l.user_id
             WHERE l.tenant_id = $1 AND l.user_id = $2 AND p.enabled
               AND (NOT u.mfa_enabled OR cardinality(p.second_factor_values) > 0)) AS "identityProvider"`;

/** Part of the public contract: `proofs` of the errors that ask for one. */
export type AuthenticationMethod = 'passkey' | 'authenticator' | 'recovery_code' | 'identity_provider' | 'password';

type MethodsRow = Record<'passkey' | 'authenticator' | 'password' | 'identityProvider', boolean>;

/** Says which proofs an account can give, to anyone who holds a session of it. Read only for an error. */
@Injectable()
export class AuthenticationMethods {
  constructor(
    private readonly database: Database,
    @Inject(IDENTITY_CONFIG) private readonly config: IdentityConfig,
  ) {}

  /** The strongest first; none where a new sign-in is all that is left. */
  async list(tx: TenantTransaction, userId: string): Promise<AuthenticationMethod[]> {
    const parameters = [tx.tenantId, userId];
    const [row] = await tx.query<MethodsRow>(READ_AUTHENTICATION_METHODS, parameters);
    if (!row) throw new Error('A statement without a condition gave no row');
    const { users, operators } = this.config.passkeys;
    const isOperator = tx.tenantId === PLATFORM_TENANT;
    const usesPasskeys = (isOperator ? operators : users) !== null;
    // The weaker proof is no way around the stronger.
    const takesPassword = !row.authenticator && !(isOperator && this.config.operatorSecondFactor);
    return [
      ...(row.passkey && usesPasskeys ? (['passkey'] as const) : []),
      ...(row.authenticator ? (['authenticator', 'recovery_code'] as const) : []),
      ...(row.identityProvider ? (['identity_provider'] as const) : []),
      ...(row.password && takesPassword ? (['password'] as const) : []),
    ];
  }

  /** Has a refused proof say which ones are possible. @param prove rejects with INVALID_CREDENTIALS */
  async explaining<T>(tenantId: string, userId: string, prove: () => Promise<T>): Promise<T> {
    try {
      return await prove();
    } catch (error) {
      if (!(error instanceof PlatformError && error.code === 'INVALID_CREDENTIALS')) throw error;
      const { message } = error;
      throw await this.database.transaction(tenantId, (tx) => this.refusal(tx, userId, 'INVALID_CREDENTIALS', message));
    }
  }

  async refusal(
    tx: TenantTransaction,
    userId: string,
    code: Extract<ErrorCode, 'STEP_UP_REQUIRED' | 'INVALID_CREDENTIALS'>,
    detail?: string,
  ): Promise<PlatformError> {
    return new PlatformError(code, detail, { members: { proofs: await this.list(tx, userId) } });
  }
}

/**
 * Changes that would let a stolen token take over need a recent proof. A sign-in is one; a refresh is not. Rules with `proof: true`
 * ask for it before the call; changes that depend on the body or must not outlive what ended the session ask for it themselves.
 */
@Injectable()
export class RecentProof extends ProofSource {
  constructor(
    private readonly database: Database,
    private readonly sessions: SessionRepository,
    private readonly methods: AuthenticationMethods,
    @Inject(IDENTITY_CONFIG) private readonly config: IdentityConfig,
  ) {
    super();
  }

  override async assert(principal: Principal): Promise<void> {
    await this.database.transaction(tenantOf(principal), (tx) => this.assertWithin(tx, principal));
  }

  /** @throws PlatformError TOKEN_REVOKED when the session has ended; FORBIDDEN for a token without a session */
  async note(principal: Principal): Promise<void> {
    const sessionId = sessionOf(principal);
    const open = await this.database.transaction(tenantOf(principal), (tx) =>
      this.sessions.markProven(tx, principal.userId, sessionId),
    );
    if (!open) throw new PlatformError('TOKEN_REVOKED');
  }

  /** For a change that must not outlive what ended the session. @throws PlatformError STEP_UP_REQUIRED */
  async assertWithin(tx: TenantTransaction, { userId, sessionId }: Principal): Promise<void> {
    const proven =
      sessionId !== undefined && (await this.sessions.wasProven(tx, userId, sessionId, this.config.stepUpSeconds));
    if (!proven) throw await this.methods.refusal(tx, userId, 'STEP_UP_REQUIRED');
  }
}

/** @throws PlatformError FORBIDDEN */
export function sessionOf({ sessionId }: Principal): string {
  if (sessionId === undefined) throw new PlatformError('FORBIDDEN', 'This token has no session');
  return sessionId;
}
