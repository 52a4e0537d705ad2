import type { TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import type { TextSearch } from './search-text.js';

/** $1: tenant, $2: object, $3: records. */
export const DELETE_SEARCH_TEXTS = `
  DELETE FROM record_search WHERE tenant_id = $1 AND object_id = $2 AND id = ANY ($3::uuid[])`;

/**
 * For the arguments see search_records. $1: tenant, $2: object, $3: audiences, $4: text, $5: whether it is indexed, $6: after,
 * $7: wanted, $8: most.
 */
export const SEARCH_RECORDS = 'SELECT ids, counted FROM search_records($1, $2, $3, $4, $5, $6, $7, $8)';

/** The texts in which records are searched. Hand-written SQL, as all of the record engine. */
@Injectable()
export class SearchRepository {
  async delete(tx: TenantTransaction, objectId: string, ids: readonly string[]): Promise<void> {
    await tx.queryPrepared(DELETE_SEARCH_TEXTS, [tx.tenantId, objectId, ids]);
  }

  /** Ids of records that match, newest first. */
  async find(tx: TenantTransaction, search: TextSearch, most: number): Promise<readonly string[]> {
    const { objectId, audiences, searched } = search;
    const parameters = [tx.tenantId, objectId, audiences, searched.text, searched.isIndexed, null, most, 0];
    const [row] = await tx.queryPrepared<{ ids: string[] }>(SEARCH_RECORDS, parameters);
    return row?.ids ?? [];
  }
}
