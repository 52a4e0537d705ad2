import type { TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import {
  DELETE_SEARCH_TEXTS,
  DELETE_SEARCH_TEXTS_OF_OBJECT,
  INSERT_SEARCH_TEXTS,
  LOCK_NEXT_RECORDS,
  SEARCH_RECORDS,
  WRITE_SEARCH_TEXTS,
} from './search.sql.js';
import type { SearchTexts } from './search-text.js';
import type { TextSearch } from './text-condition.js';

export interface SearchRequest extends TextSearch {
  /** Id of the record after which the page begins. */
  readonly after: string | null;
  readonly wanted: number;
  /** How many matches are counted at most; null for all, 0 for none. */
  readonly countLimit: number | null;
}

export interface SearchResult {
  /** Newest first. */
  readonly ids: readonly string[];
  readonly counted: number;
}

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

  async deleteAll(tx: TenantTransaction, objectId: string): Promise<void> {
    await tx.queryPrepared(DELETE_SEARCH_TEXTS_OF_OBJECT, [tx.tenantId, objectId]);
  }

  async search(tx: TenantTransaction, request: SearchRequest): Promise<SearchResult> {
    const { objectId, audiences, searched, after, wanted, countLimit } = request;
    const { text, isIndexed } = searched;
    const parameters = [objectId, audiences, text, isIndexed, after, wanted, countLimit];
    const [result] = await tx.queryPrepared<SearchResult>(SEARCH_RECORDS, parameters);
    return result as SearchResult;
  }

  /** Locks the next records of an object, by id. @param after a record's id; the nil UUID for the beginning */
  lockNext(
    tx: TenantTransaction,
    objectId: string,
    after: string,
    limit: number,
  ): Promise<{ readonly id: string; readonly data: Readonly<Record<string, unknown>> }[]> {
    return tx.queryPrepared(LOCK_NEXT_RECORDS, [tx.tenantId, objectId, after, limit]);
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
