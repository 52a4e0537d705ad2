import type { NarrowTransaction, TenantTransaction, Transaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { EmbedUser } from './embed-user.entity.js';
import { LOCK_HOST_USER } from './embed-user.sql.js';

/** Which user of the tenant a host user is. */
@Injectable()
export class EmbedUserRepository {
  /** Makes changes of one host user wait for each other until the transaction ends, so that the first provisions alone. */
  async lock(tx: Transaction, tenantId: string, appKey: string, sub: string): Promise<void> {
    await tx.query(LOCK_HOST_USER, [JSON.stringify(['embed_user', tenantId, appKey, sub])]);
  }

  async find(tx: Transaction, tenantId: string, appKey: string, sub: string): Promise<string | null> {
    const link = await tx.repository(EmbedUser).findOneBy({ tenantId, appKey, sub });
    return link?.userId ?? null;
  }

  /** Maps a host user for the first time. */
  async insert(tx: NarrowTransaction, tenantId: string, appKey: string, sub: string, userId: string): Promise<void> {
    await tx.repository(EmbedUser).insert({ tenantId, appKey, sub, userId });
  }

  /** Maps a host user and replaces an existing mapping. */
  async link(tx: TenantTransaction, appKey: string, sub: string, userId: string): Promise<void> {
    await tx
      .repository(EmbedUser)
      .createQueryBuilder()
      .insert()
      .values({ appKey, sub, userId })
      .orUpdate(['user_id'], ['tenant_id', 'app_key', 'sub'])
      .execute();
  }
}
