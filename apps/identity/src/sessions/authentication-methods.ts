import { type ErrorCode, PlatformError } from '@crm/contracts';
import { Database, type TenantTransaction } from '@crm/database';
import { Inject, Injectable } from '@nestjs/common';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { PLATFORM_TENANT } from '../platform-tenant.js';

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
