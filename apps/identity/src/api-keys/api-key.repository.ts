import { secondsFromNow, type TenantTransaction } from '@crm/database';
import type { ListPage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { type Page, pageById } from '../pages.js';
import { FUTURE, hasChangedOne } from '../tenant-row.js';
import { ApiKey } from './api-key.entity.js';

/** Notes a use, unless one was noted in the last five minutes. $1: tenant, $2: key, $3: address. */
export const NOTE_API_KEY_USE = `
  UPDATE api_key SET last_used_at = now(), last_address = $3
   WHERE tenant_id = $1 AND id = $2 AND (last_used_at < now() - interval '5 minutes') IS NOT FALSE`;

/** $1: tenant, $2: the user or the service account. */
export const DELETE_API_KEYS_OF_OWNER = 'DELETE FROM api_key WHERE tenant_id = $1 AND owner_id = $2 RETURNING id';

export type NewApiKey = Pick<ApiKey, 'id' | 'ownerKind' | 'ownerId' | 'name' | 'scopes' | 'secretHash' | 'createdBy'>;

@Injectable()
export class ApiKeyRepository {
  async insert(tx: TenantTransaction, key: NewApiKey, validSeconds: number): Promise<ApiKey> {
    const { tenantId } = tx;
    await tx.repository(ApiKey).insert({ tenantId, ...key, expiresAt: secondsFromNow(validSeconds) });
    return tx.repository(ApiKey).findOneByOrFail({ tenantId, id: key.id });
  }

  /** A key that has not expired. */
  async findLive(tx: TenantTransaction, id: string): Promise<ApiKey | null> {
    return tx.repository(ApiKey).findOneBy({ tenantId: tx.tenantId, id, expiresAt: FUTURE });
  }

  /** Keys that have not expired: of one owner, or of the tenant. */
  async countLive(tx: TenantTransaction, ownerId?: string): Promise<number> {
    return tx.repository(ApiKey).countBy({ tenantId: tx.tenantId, expiresAt: FUTURE, ...(ownerId && { ownerId }) });
  }

  /** Keys of an owner, the last made first, and how many there are. */
  async listOfOwner(tx: TenantTransaction, ownerId: string, page: ListPage): Promise<Page<ApiKey>> {
    return pageById(tx.repository(ApiKey), 'DESC', { tenantId: tx.tenantId, ownerId }, page);
  }

  /** Notes a use, once in five minutes: most uses write nothing. */
  async noteUse(tx: TenantTransaction, id: string, address: string): Promise<void> {
    await tx.query(NOTE_API_KEY_USE, [tx.tenantId, id, address]);
  }

  /** @returns whether the owner had such a key */
  async delete(tx: TenantTransaction, ownerId: string, id: string): Promise<boolean> {
    return hasChangedOne(await tx.repository(ApiKey).delete({ tenantId: tx.tenantId, ownerId, id }));
  }

  /** @returns the ids of the keys that the owner had */
  async deleteOfOwner(tx: TenantTransaction, ownerId: string): Promise<string[]> {
    const rows = await tx.query<{ id: string }>(DELETE_API_KEYS_OF_OWNER, [tx.tenantId, ownerId]);
    return rows.map(({ id }) => id);
  }
}
