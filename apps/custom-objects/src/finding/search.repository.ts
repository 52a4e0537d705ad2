import { type Database, TENANT_OF_STATEMENT, type TenantTransaction, type TransactionOrigin } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { type SearchTexts, type TextSearch } from './search-text.js';

/** The texts of new records, in arrays. $1: tenant, $2: object, $3: records, $4: audiences, $5: texts. */
export const INSERT_SEARCH_TEXTS = `
  INSERT INTO record_search (tenant_id, object_id, id, audience, text)
  SELECT $1, $2, written.* FROM unnest($3::uuid[], $4::text[], $5::text[]) AS written (id, audience, text)`;

/** Sets the texts of records. The parameters are those of INSERT_SEARCH_TEXTS. */
export const WRITE_SEARCH_TEXTS = `${INSERT_SEARCH_TEXTS}
  ON CONFLICT (tenant_id, object_id, id, audience) DO UPDATE SET text = excluded.text`;

/** $1: tenant, $2: object, $3: records, $4: audiences, null for all. */
export const DELETE_SEARCH_TEXTS = `
  DELETE FROM record_search
   WHERE tenant_id = $1 AND object_id = $2 AND id = ANY ($3::uuid[]) AND ($4::text[] IS NULL OR audience = ANY ($4::text[]))`;

/** For the arguments see SEARCH_FUNCTION. $1: tenant, $2: object, $3: audiences, $4: text, $5: whether it is indexed, $6: after, $7: wanted, $8: most. */
export const SEARCH_RECORDS = `
  SELECT found.ids, found.counted
    FROM ${TENANT_OF_STATEMENT} CROSS JOIN LATERAL search_records(tenant.id, $2, $3, $4, $5, $6, $7, $8) AS found`;

/** A record and its texts. */
export interface SearchedRecord {
  readonly id: string;
  readonly texts: SearchTexts;
}

/** The texts in which records are searched. Hand-written SQL, as all of the record engine. */
@Injectable()
export class SearchRepository {
  /** Writes the texts of new records. */
  insert(tx: TenantTransaction, objectId: string, records: readonly SearchedRecord[]): void {
    this.set(tx, INSERT_SEARCH_TEXTS, objectId, records);
  }

  /** Sets the texts named, and deletes those that are null. */
  write(tx: TenantTransaction, objectId: string, records: readonly SearchedRecord[]): void {
    this.set(tx, WRITE_SEARCH_TEXTS, objectId, records);
    for (const { id, texts } of records) {
      const unset = [...texts].filter(([, text]) => text === null).map(([audience]) => audience);
      if (unset.length > 0) tx.issue(DELETE_SEARCH_TEXTS, [tx.tenantId, objectId, [id], unset]);
    }
  }

  async delete(tx: TenantTransaction, objectId: string, ids: readonly string[]): Promise<void> {
    await tx.queryPrepared(DELETE_SEARCH_TEXTS, [tx.tenantId, objectId, ids, null]);
  }

  /** Ids of records that match, newest first. */
  async find(
    database: Database,
    origin: TransactionOrigin,
    search: TextSearch,
    most: number,
  ): Promise<readonly string[]> {
    const { objectId, audiences, searched } = search;
    const parameters = [objectId, audiences, searched.text, searched.isIndexed, null, most, 0];
    const [row] = await database.read<{ ids: string[] }>(origin, SEARCH_RECORDS, parameters);
    return row?.ids ?? [];
  }

  private set(tx: TenantTransaction, statement: string, objectId: string, records: readonly SearchedRecord[]): void {
    const set = records.flatMap(({ id, texts }) =>
      [...texts].flatMap(([audience, text]) => (text === null ? [] : [{ id, audience, text }])),
    );
    if (set.length === 0) return;
    tx.issue(statement, [
      tx.tenantId,
      objectId,
      set.map(({ id }) => id),
      set.map(({ audience }) => audience),
      set.map(({ text }) => text),
    ]);
  }
}
