import type { NarrowTransaction } from '@crm/database';
import type { ListPage } from '@crm/http';
import type { Manifest } from '@crm/manifest';
import { Injectable } from '@nestjs/common';

const COLUMNS = `a.key, a.name, a.kind, a.summary, v.version, a.rating_count AS "ratingCount",
    a.rating_total AS "ratingTotal"`;

/** Public apps, and the private ones of tenant $1; each of the words $2 has to occur. */
const LISTED = `a.published_version_id IS NOT NULL
    AND (a.visibility = 'public' OR (a.visibility = 'private' AND a.tenant_id = $1))
    AND NOT EXISTS (SELECT 1 FROM unnest($2::text[]) AS word WHERE strpos(a.search_text, word) = 0)`;

/** By name. $1: tenant, $2: words, $3 and $4: name and key where the previous page ended, or null, $5: limit, $6: offset. */
export const LIST_LISTINGS = `
  SELECT ${COLUMNS} FROM app a JOIN app_version v ON v.id = a.published_version_id
   WHERE ${LISTED} AND ($3::text IS NULL OR (a.name, a.key) > ($3, $4))
   ORDER BY a.name, a.key LIMIT $5 OFFSET $6`;

/** $1: tenant, $2: words, $3: count at most so many; null for all. */
export const COUNT_LISTINGS = `
  SELECT count(*)::int AS counted FROM (SELECT 1 FROM app a WHERE ${LISTED} LIMIT $3) AS matching`;

/** A published app with its package; private apps are for their publisher only. $1: tenant, $2: key. */
export const FIND_LISTING = `
  SELECT ${COLUMNS}, a.publisher_name AS "publisherName", v.published_at AS "publishedAt", v.manifest
    FROM app a JOIN app_version v ON v.id = a.published_version_id
   WHERE a.key = $2 AND (a.visibility <> 'private' OR a.tenant_id = $1)`;

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

export interface ListingDetail extends Listing {
  readonly publisherName: string;
  readonly publishedAt: Date;
  readonly manifest: Manifest;
}

/** What the marketplace shows: apps with their published versions, read in one statement each. */
@Injectable()
export class ListingRepository {
  /** Public apps, and the private ones of the tenant, by name. @param words each of them has to occur */
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

  async find(tx: NarrowTransaction, tenantId: string, key: string): Promise<ListingDetail | null> {
    const [row] = await tx.query<ListingDetail>(FIND_LISTING, [tenantId, key]);
    return row ?? null;
  }
}
