import type { TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import type { TimePosition } from './note.repository.js';

/** A task that relates to a record. */
export interface RelatedTask {
  readonly id: string;
  readonly at: Date;
  readonly by: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * Newest first, which is the order of the ids. $1: tenant, $2: the object, $3: the record that they relate to, $4 and $5: time and id
 * of the task after which the page begins, $6: limit. @param slot of the reference
 */
export const listRelated = (slot: string): string => `
  SELECT id, created_at AS at, created_by AS by, data FROM custom_record
   WHERE tenant_id = $1 AND object_id = $2 AND ${slot} = $3 AND deleted_at IS NULL
     AND (created_at, id) < ($4::timestamptz, $5::uuid)
   ORDER BY id DESC LIMIT $6`;

@Injectable()
export class RelatedTaskRepository {
  list(
    tx: TenantTransaction,
    objectId: string,
    { slot, value }: { readonly slot: string; readonly value: string },
    after: TimePosition,
    limit: number,
  ): Promise<RelatedTask[]> {
    const parameters = [tx.tenantId, objectId, value, after.at, after.id, limit];
    return tx.queryPrepared<RelatedTask>(listRelated(slot), parameters);
  }
}
