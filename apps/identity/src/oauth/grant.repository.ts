import { secondsFromNow, type TenantTransaction } from '@crm/database';
import type { ListPage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import type { SessionLifetime } from '../config.js';
import { type Page, pageById } from '../pages.js';
import { newSecret, packIds, unpackIds } from '../secrets.js';
import { FOR_UPDATE, FUTURE } from '../tenant-row.js';
import { AuthorizationCode, Grant } from './oauth.entity.js';

/** $1: tenant, $2: grant, $3: only if it is this user's, or null. */
export const DELETE_GRANT = `
  DELETE FROM oauth_grant WHERE tenant_id = $1 AND id = $2 AND ($3::uuid IS NULL OR user_id = $3)
  RETURNING user_id AS "userId", app_key AS "appKey", installation_id AS "installationId"`;

/** $1: tenant, $2: user. */
export const DELETE_GRANTS_OF_USER = 'DELETE FROM oauth_grant WHERE tenant_id = $1 AND user_id = $2 RETURNING id';

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
