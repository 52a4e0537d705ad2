import type { TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { SavedView } from './saved-view.entity.js';

/** What can be changed of a saved view. */
export type SavedViewChanges = Partial<Pick<SavedView, 'name' | 'shared' | 'filter' | 'sort' | 'columns'>>;

/** Until the transaction ends, others of the owner wait. $1: `views:` and the owner. */
const LOCK_VIEWS = 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))';

/** $1: tenant, $2: owner. */
const COUNT_VIEWS = `
  SELECT count(*)::int AS views FROM saved_view v
   WHERE v.tenant_id = $1 AND v.owner_id = $2 AND NOT EXISTS (
     SELECT 1 FROM custom_object o WHERE o.tenant_id = $1 AND o.id = v.object_id AND o.state = 'removed')`;

@Injectable()
export class SavedViewRepository {
  /** The views of an object that are shared or belong to the user, by name. */
  async list(tx: TenantTransaction, objectId: string, ownerId: string): Promise<SavedView[]> {
    const of = { tenantId: tx.tenantId, objectId };
    return tx.repository(SavedView).find({
      where: [
        { ...of, shared: true },
        { ...of, ownerId },
      ],
      order: { name: 'ASC', id: 'ASC' },
    });
  }

  /** @returns null when there is none */
  async find(tx: TenantTransaction, id: string): Promise<SavedView | null> {
    return tx.repository(SavedView).findOneBy({ tenantId: tx.tenantId, id });
  }

  /** How many views someone has, without those of objects that are no longer in use, which no list shows. None is added meanwhile. */
  async lockAndCount(tx: TenantTransaction, ownerId: string): Promise<number> {
    tx.issue(LOCK_VIEWS, [`views:${ownerId}`]);
    const [row] = await tx.query<{ views: number }>(COUNT_VIEWS, [tx.tenantId, ownerId]);
    return row?.views ?? 0;
  }

  async insert(tx: TenantTransaction, view: SavedView): Promise<void> {
    await tx.repository(SavedView).insert(view as never);
  }

  async update(tx: TenantTransaction, id: string, changes: SavedViewChanges): Promise<void> {
    await tx.repository(SavedView).update({ tenantId: tx.tenantId, id }, changes as never);
  }

  async delete(tx: TenantTransaction, id: string): Promise<void> {
    await tx.repository(SavedView).delete({ tenantId: tx.tenantId, id });
  }
}
