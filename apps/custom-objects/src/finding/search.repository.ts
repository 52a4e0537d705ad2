import type { Database, TenantTransaction, TransactionOrigin } from '@crm/database';
import { Injectable } from '@nestjs/common';
import type { TextSearch } from './search-text.js';

/** $1: tenant, $2: object, $3: records. */
export const DELETE_SEARCH_TEXTS = `
  DELETE FROM record_search WHERE tenant_id = $1 AND object_id = $2 AND id = ANY ($3::uuid[])`;

/** $1: tenant, $2: object, $3: audiences, $4: text, $5: whether it is indexed, $6: wanted. */
export const FIND_IDS = 'SELECT find_record_ids($1, $2, $3, $4, $5, $6) AS ids';

/** The texts in which records are searched. Hand-written SQL, as all of the record engine. */
@Injectable()
export class SearchRepository {
  async delete(tx: TenantTransaction, objectId: string, ids: readonly string[]): Promise<void> {
    await tx.queryPrepared(DELETE_SEARCH_TEXTS, [tx.tenantId, objectId, ids]);
  }

  /** Ids of records that match, newest first. */
  async find(
    database: Database,
    origin: TransactionOrigin,
    search: TextSearch,
    most: number,
  ): Promise<readonly string[]> {
    const { objectId, audiences, searched } = search;
    const parameters = [objectId, audiences, searched.text, searched.isIndexed, most];
    const [row] = await database.read<{ ids: string[] }>(origin, FIND_IDS, parameters);
    return row?.ids ?? [];
  }
}
