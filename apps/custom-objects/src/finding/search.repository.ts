import type { Database, TenantTransaction, TransactionOrigin } from '@crm/database';
import { Injectable } from '@nestjs/common';
import type { StoredRecord } from '../reading/record.js';
import { recordsOf } from '../reading/record.repository.js';
import type { TextSearch } from './search-text.js';

/** $1: tenant, $2: object, $3: records. */
export const DELETE_SEARCH_TEXTS = `
  DELETE FROM record_search WHERE tenant_id = $1 AND object_id = $2 AND id = ANY ($3::uuid[])`;

/** $1: tenant, $2: object, $3: audiences, $4: text, $5: whether it is indexed, $6: wanted. */
export const FIND_IDS = 'SELECT find_record_ids($1, $2, $3, $4, $5, $6) AS ids';

/** $1: tenant, $2: JSON of objects, audiences, texts, which are indexed, and keys of values that are left out, $3: id after which the page begins, $4: wanted. */
export const SEARCH_OBJECTS = 'SELECT * FROM search_objects($1, $2, $3, $4)';

interface SearchedObjects {
  /** By each object of the tenant; null when none has a row. */
  readonly revisions: Readonly<Record<string, number>> | null;
  readonly objects: string | null;
  readonly heads: string | null;
  readonly data: string | null;
  readonly isWhole: boolean;
}

/** The records that searches of several objects find, the newest of all. */
export interface FoundRecords {
  /** The revision of each object of the tenant that has a row. */
  readonly revisions: Readonly<Record<string, number>>;
  readonly found: readonly { readonly objectId: string; readonly record: StoredRecord }[];
  /** False when records were left out because those before them have too much text. */
  readonly isWhole: boolean;
}

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

  /** @param after id after which the page begins */
  async findInObjects(
    database: Database,
    origin: TransactionOrigin,
    searches: readonly (TextSearch & { readonly unneeded: readonly string[] })[],
    after: string | null,
    most: number,
  ): Promise<FoundRecords> {
    const texts = searches.map(({ objectId: object, audiences, searched: { text: needle }, unneeded }) => ({
      ...{ object, audiences, needle, unneeded },
    }));
    const [row] = await database.read<SearchedObjects>(origin, SEARCH_OBJECTS, [JSON.stringify(texts), after, most]);
    const { revisions, objects, heads, data, isWhole } = row as SearchedObjects;
    const of = objects?.split(',') ?? [];
    const found = recordsOf(heads, data).map((record, index) => ({ objectId: of[index] as string, record }));
    return { revisions: revisions ?? {}, found, isWhole };
  }
}
