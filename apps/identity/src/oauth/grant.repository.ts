import { secondsFromNow, type TenantTransaction } from '@crm/database';
import type { ListPage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { IsNull, Not } from 'typeorm';
import type { SessionLifetime } from '../config.js';
import { type Page, pageById } from '../pages.js';
import { hashSecret, newSecret, packIds, unpackIds } from '../secrets.js';
import { GRACE_SECONDS, type Rotation, rotationOfSpent, sealSuccessor } from '../sessions/refresh-token.repository.js';
import { FOR_UPDATE, FUTURE } from '../tenant-row.js';
import { AuthorizationCode, Grant, GrantToken } from './oauth.entity.js';

/** $1: tenant, $2: grant, $3: only if it is this user's, or null. */
export const DELETE_GRANT = `
  DELETE FROM oauth_grant WHERE tenant_id = $1 AND id = $2 AND ($3::uuid IS NULL OR user_id = $3)
  RETURNING user_id AS "userId", app_key AS "appKey", installation_id AS "installationId"`;

/** $1: tenant, $2: user. */
export const DELETE_GRANTS_OF_USER = 'DELETE FROM oauth_grant WHERE tenant_id = $1 AND user_id = $2 RETURNING id';

/** A code that is about to be exchanged, held until the transaction ends. $1: tenant, $2: code. */
export const LOCK_AUTHORIZATION_CODE = `
  SELECT code_hash AS "codeHash", installation_id AS "installationId", app_key AS "appKey", app_name AS "appName", publisher,
    user_id AS "userId", redirect_uri AS "redirectUri", scopes, code_challenge AS "codeChallenge",
    valid_until > now() AS "isValid", used_at IS NOT NULL AS "isUsed"
    FROM oauth_code WHERE tenant_id = $1 AND id = $2 FOR UPDATE`;

/**
 * A refresh token of a grant. The successor of a spent one comes with it for a few seconds, as long as nobody has presented the
 * successor. $1: tenant, $2: hash of the token, $3: grant, $4: seconds in which the successor is given again.
 */
export const FIND_GRANT_TOKEN = `
  SELECT rotated_at IS NOT NULL AS "isSpent",
    CASE WHEN rotated_at > now() - make_interval(secs => $4) THEN sealed_successor END AS "sealedSuccessor"
    FROM oauth_refresh_token
   WHERE tenant_id = $1 AND token_hash = $2 AND grant_id = $3 AND expires_at > now()`;

/** Notes a use of a grant and moves its end; no row for one that has ended. $1: tenant, $2: grant, $3: seconds of life. */
export const TOUCH_GRANT = `
  UPDATE oauth_grant SET last_used_at = now(), expires_at = LEAST(now() + make_interval(secs => $3), ends_at)
   WHERE tenant_id = $1 AND id = $2 AND expires_at > now()
  RETURNING floor(extract(epoch FROM expires_at - now()))::integer AS "remainingSeconds"`;

export type NewGrant = Pick<Grant, 'id' | 'installationId' | 'appKey' | 'appName' | 'publisher' | 'userId' | 'scopes'>;

/** Whose grant it is or was. */
export type EndedGrant = Pick<Grant, 'userId' | 'appKey' | 'installationId'>;

/** What apps may do for users. With a grant go its refresh tokens. */
@Injectable()
export class GrantRepository {
  async insert(tx: TenantTransaction, grant: NewGrant, { idleSeconds, maxSeconds }: SessionLifetime): Promise<void> {
    await tx.repository(Grant).insert({
      ...grant,
      expiresAt: secondsFromNow(Math.min(idleSeconds, maxSeconds)),
      endsAt: secondsFromNow(maxSeconds),
    });
  }

  /** One that has not ended. */
  async find(tx: TenantTransaction, id: string): Promise<Grant | null> {
    return tx.repository(Grant).findOneBy({ tenantId: tx.tenantId, id, expiresAt: FUTURE });
  }

  /** Like find, and holds it until the transaction ends, so that exchanges of its refresh tokens follow each other. */
  async lock(tx: TenantTransaction, id: string): Promise<Grant | null> {
    return tx.repository(Grant).findOne({ where: { tenantId: tx.tenantId, id, expiresAt: FUTURE }, lock: FOR_UPDATE });
  }

  /** @returns seconds until it ends, or null when it has ended */
  async touch(tx: TenantTransaction, id: string, idleSeconds: number): Promise<number | null> {
    const [touched] = await tx.query<{ remainingSeconds: number }>(TOUCH_GRANT, [tx.tenantId, id, idleSeconds]);
    return touched?.remainingSeconds ?? null;
  }

  /** The caller holds the grant. */
  async setScopes(tx: TenantTransaction, id: string, scopes: string[]): Promise<void> {
    await tx.repository(Grant).update({ tenantId: tx.tenantId, id }, { scopes });
  }

  /** Newest first, and how many there are. */
  async listOfUser(tx: TenantTransaction, userId: string, page: ListPage): Promise<Page<Grant>> {
    return pageById(tx.repository(Grant), 'DESC', { tenantId: tx.tenantId, userId, expiresAt: FUTURE }, page);
  }

  /** @param userId only if it is this user's @returns what it was, or null when there was none */
  async delete(tx: TenantTransaction, id: string, userId?: string): Promise<EndedGrant | null> {
    const [ended] = await tx.query<EndedGrant>(DELETE_GRANT, [tx.tenantId, id, userId ?? null]);
    return ended ?? null;
  }

  /** Also what was approved and not exchanged. @returns the ids of the grants */
  async deleteOfUser(tx: TenantTransaction, userId: string): Promise<string[]> {
    await tx.repository(AuthorizationCode).delete({ tenantId: tx.tenantId, userId });
    const rows = await tx.query<{ id: string }>(DELETE_GRANTS_OF_USER, [tx.tenantId, userId]);
    return rows.map(({ id }) => id);
  }

  /** Also what was approved and not exchanged. */
  async deleteOfInstallation(tx: TenantTransaction, installationId: string): Promise<void> {
    await tx.repository(AuthorizationCode).delete({ tenantId: tx.tenantId, installationId });
    await tx.repository(Grant).delete({ tenantId: tx.tenantId, installationId });
  }
}

/** Refresh tokens of apps. The caller holds the grant, so exchanges follow each other. */
@Injectable()
export class GrantTokenRepository {
  async insert(tx: TenantTransaction, token: string, grantId: string, validSeconds: number): Promise<void> {
    const expiresAt = secondsFromNow(validSeconds);
    await tx.repository(GrantToken).insert({ tokenHash: hashSecret(token), grantId, expiresAt });
  }

  /** Returns whether the token could be exchanged now. */
  async isUsable(tx: TenantTransaction, token: string, grantId: string): Promise<boolean> {
    return (await this.find(tx, hashSecret(token), grantId))?.isSpent === false;
  }

  async exists(tx: TenantTransaction, token: string, grantId: string): Promise<boolean> {
    return (await this.find(tx, hashSecret(token), grantId)) !== undefined;
  }

  /**
   * Exchanges a token for its successor. Who presents it again within ten seconds gets the same successor, until that is used.
   */
  async rotate(
    tx: TenantTransaction,
    presented: string,
    grantId: string,
    { successor, validSeconds }: { successor: string; validSeconds: number },
  ): Promise<Rotation> {
    const tokenHash = hashSecret(presented);
    const found = await this.find(tx, tokenHash, grantId);
    if (!found) return { outcome: 'unknown' };
    if (found.isSpent) return rotationOfSpent(presented, found.sealedSuccessor);
    const tokens = tx.repository(GrantToken);
    const { tenantId } = tx;
    // The client has this token, because it presents it: what led to it is forgotten.
    await tokens.update({ tenantId, grantId, sealedSuccessor: Not(IsNull()) }, { sealedSuccessor: null });
    const sealedSuccessor = sealSuccessor(presented, successor);
    await tokens.update({ tenantId, grantId, tokenHash }, { rotatedAt: secondsFromNow(0), sealedSuccessor });
    await this.insert(tx, successor, grantId, validSeconds);
    return { outcome: 'rotated', successor };
  }

  private async find(tx: TenantTransaction, tokenHash: Buffer, grantId: string) {
    const [row] = await tx.query<{ isSpent: boolean; sealedSuccessor: Buffer | null }>(FIND_GRANT_TOKEN, [
      tx.tenantId,
      tokenHash,
      grantId,
      GRACE_SECONDS,
    ]);
    return row;
  }
}

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

/** What a code or a refresh token names by itself: it proves nothing, the secret part does. */
export interface GrantIds {
  readonly tenantId: string;
  readonly grantId: string;
  readonly installationId: string;
}

/** A new code or refresh token: where it belongs, and a secret. */
export function newGrantText({ tenantId, grantId, installationId }: GrantIds): string {
  return `${packIds(tenantId, grantId, installationId)}.${newSecret()}`;
}

/** @returns undefined for what is not a code or a refresh token */
export function parseGrantText(text: string): GrantIds | undefined {
  const [packed, secret, ...more] = text.split('.');
  if (!packed || !secret || more.length > 0) return undefined;
  const [tenantId, grantId, installationId] = unpackIds(packed, 3) ?? [];
  return tenantId && grantId && installationId ? { tenantId, grantId, installationId } : undefined;
}
