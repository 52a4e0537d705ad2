import { secondsFromNow, type TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { AuthorizationCode } from './oauth.entity.js';

/** A code that is about to be exchanged, held until the transaction ends. $1: tenant, $2: code. */
export const LOCK_AUTHORIZATION_CODE = `
  SELECT code_hash AS "codeHash", installation_id AS "installationId", app_key AS "appKey", app_name AS "appName", publisher,
    user_id AS "userId", redirect_uri AS "redirectUri", scopes, code_challenge AS "codeChallenge",
    valid_until > now() AS "isValid", used_at IS NOT NULL AS "isUsed"
    FROM oauth_code WHERE tenant_id = $1 AND id = $2 FOR UPDATE`;

/** Short, because the app exchanges a code at once (RFC 6749, section 4.1.2, allows ten minutes). */
const VALID_SECONDS = 60;

/** A copy that turns up later cannot be recognised, and cannot be exchanged either. */
const KEPT_SECONDS = 24 * 3600;

export type NewAuthorizationCode = Omit<AuthorizationCode, 'tenantId' | 'validUntil' | 'usedAt' | 'expiresAt'>;

export type LockedCode = Omit<NewAuthorizationCode, 'id'> & { readonly isValid: boolean; readonly isUsed: boolean };

@Injectable()
export class AuthorizationCodeRepository {
  async insert(tx: TenantTransaction, code: NewAuthorizationCode): Promise<void> {
    await tx.repository(AuthorizationCode).insert({
      ...code,
      validUntil: secondsFromNow(VALID_SECONDS),
      expiresAt: secondsFromNow(KEPT_SECONDS),
    });
  }

  async findUser(tx: TenantTransaction, id: string): Promise<string | null> {
    const found = await tx
      .repository(AuthorizationCode)
      .findOne({ select: { tenantId: true, id: true, userId: true }, where: { tenantId: tx.tenantId, id } });
    return found?.userId ?? null;
  }

  async lock(tx: TenantTransaction, id: string): Promise<LockedCode | null> {
    const [row] = await tx.query<LockedCode>(LOCK_AUTHORIZATION_CODE, [tx.tenantId, id]);
    return row ?? null;
  }

  async markUsed(tx: TenantTransaction, id: string): Promise<void> {
    await tx.repository(AuthorizationCode).update({ tenantId: tx.tenantId, id }, { usedAt: secondsFromNow(0) });
  }
}
