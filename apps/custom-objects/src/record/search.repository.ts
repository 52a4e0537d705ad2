import type { TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import {
  DELETE_SEARCH_TEXTS,
  DELETE_SEARCH_TEXTS_OF_OBJECT,
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

/** The texts in which records are searched. Hand-written SQL, as all of the record engine. */
@Injectable()
export class SearchRepository {
  /** Sets the texts named, and deletes those that are null. */
  async write(tx: TenantTransaction, objectId: string, id: string, texts: SearchTexts): Promise<void> {
    const set = [...texts].filter((entry): entry is [string, string] => entry[1] !== null);
    const unset = [...texts].filter(([, text]) => text === null).map(([audience]) => audience);
    if (set.length > 0) {
      const [audiences, values] = [set.map(([audience]) => audience), set.map(([, text]) => text)];
      tx.issue(WRITE_SEARCH_TEXTS, [tx.tenantId, objectId, id, audiences, values]);
    }
    if (unset.length > 0) tx.issue(DELETE_SEARCH_TEXTS, [tx.tenantId, objectId, [id], unset]);
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
}
