import { type NarrowTransaction, secondsFromNow, type TenantTransaction, type Transaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { IsNull, MoreThanOrEqual, Not } from 'typeorm';
import { FOR_UPDATE, FUTURE } from '../tenant-row.js';
import { EmbedUser } from './embedding.entity.js';

/** Held until the transaction ends. $1: what names the host user. */
export const LOCK_HOST_USER = 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))';

/** Which user of the tenant a host user is. */
@Injectable()
export class EmbedUserRepository {
  /** Makes changes of one host user wait for each other until the transaction ends, so that the first provisions alone. */
  async lock(tx: Transaction, tenantId: string, appKey: string, sub: string): Promise<void> {
    await tx.query(LOCK_HOST_USER, [JSON.stringify(['embed_user', tenantId, appKey, sub])]);
  }

  async find(tx: Transaction, tenantId: string, appKey: string, sub: string): Promise<EmbedUser | null> {
    return tx.repository(EmbedUser).findOneBy({ tenantId, appKey, sub });
  }

  /** Returns whether a user has undone a link that an app's host has made, and no administrator has made it again. */
  async hasUndone(tx: NarrowTransaction, tenantId: string, appKey: string, userId: string): Promise<boolean> {
    return tx.repository(EmbedUser).existsBy({ tenantId, appKey, userId, undoneAt: Not(IsNull()) });
  }

  /** Maps a host user for the first time. @param undo by which the user can undo it */
  async insert(
    tx: NarrowTransaction,
    tenantId: string,
    appKey: string,
    sub: string,
    userId: string,
    undo?: { undoHash: Buffer; undoDays: number },
  ): Promise<void> {
    await tx.repository(EmbedUser).insert({
      tenantId,
      appKey,
      sub,
      userId,
      ...(undo && { undoHash: undo.undoHash, undoExpiresAt: secondsFromNow(undo.undoDays * 24 * 3600) }),
    });
  }

  /** Holds the links of a user that can still be undone until the transaction ends. */
  async lockUndoable(tx: TenantTransaction, userId: string): Promise<EmbedUser[]> {
    return tx.repository(EmbedUser).find({
      where: { tenantId: tx.tenantId, userId, undoExpiresAt: FUTURE },
      order: { appKey: 'ASC', sub: 'ASC' },
      lock: FOR_UPDATE,
    });
  }

  async undo(tx: TenantTransaction, { appKey, sub }: Pick<EmbedUser, 'appKey' | 'sub'>): Promise<void> {
    await tx.repository(EmbedUser).update({ tenantId: tx.tenantId, appKey, sub }, undone());
  }

  /** Undoes the links of a user that were made from a time on, by the host's word or by an administrator. */
  async undoSince(tx: TenantTransaction, userId: string, since: Date): Promise<void> {
    const links = { tenantId: tx.tenantId, userId, linkedAt: MoreThanOrEqual(since), undoneAt: IsNull() };
    await tx.repository(EmbedUser).update(links, undone());
  }

  /** Maps a host user and replaces an existing mapping, also one that was undone. */
  async link(tx: TenantTransaction, appKey: string, sub: string, userId: string): Promise<void> {
    await tx
      .repository(EmbedUser)
      .createQueryBuilder()
      .insert()
      .values({ appKey, sub, userId, undoHash: null, undoExpiresAt: null, linkedAt: secondsFromNow(0), undoneAt: null })
      .orUpdate(['user_id', 'undo_hash', 'undo_expires_at', 'linked_at', 'undone_at'], ['tenant_id', 'app_key', 'sub'])
      .execute();
  }
}

const undone = () => ({ undoHash: null, undoExpiresAt: null, undoneAt: secondsFromNow(0) });
