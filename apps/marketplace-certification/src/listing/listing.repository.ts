import type { NarrowTransaction } from '@crm/database';
import type { ListPage } from '@crm/http';
import type { Manifest } from '@crm/manifest';
import { Injectable } from '@nestjs/common';
import { COUNT_LISTINGS, FIND_LISTING, LIST_LISTINGS } from './listing.sql.js';

/** A published app as the lists show it. */
export interface Listing {
  readonly key: string;
  readonly name: string;
  readonly kind: string;
  readonly summary: string | null;
  readonly version: string;
  readonly ratingCount: number;
  /** The sum of all stars, a bigint. */
  readonly ratingTotal: string;
}

/** An app and the package of its published version. */
export interface ListingDetail extends Listing {
  readonly publisherName: string;
  readonly publishedAt: Date;
  readonly manifest: Manifest;
}

/** What the marketplace shows: apps with their published versions, read in one statement each. */
@Injectable()
export class ListingRepository {
  /**
   * Public apps, and the private ones of the tenant, by name.
   * @param words each of them has to occur
   */
  async list(
    tx: NarrowTransaction,
    tenantId: string,
    words: readonly string[],
    page: ListPage,
  ): Promise<{ rows: Listing[]; counted: number }> {
    const { after, limit, offset, countLimit } = page;
    const [rows, [count]] = await Promise.all([
      tx.query<Listing>(LIST_LISTINGS, [tenantId, words, after?.value ?? null, after?.id ?? null, limit, offset]),
      tx.query<{ counted: number }>(COUNT_LISTINGS, [tenantId, words, countLimit]),
    ]);
    return { rows, counted: count?.counted ?? 0 };
  }

  /** A published app that the tenant may see. */
  async find(tx: NarrowTransaction, tenantId: string, key: string): Promise<ListingDetail | null> {
    const [row] = await tx.query<ListingDetail>(FIND_LISTING, [tenantId, key]);
    return row ?? null;
  }
}
