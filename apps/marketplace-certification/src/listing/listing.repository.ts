import type { NarrowTransaction } from '@crm/database';
import type { ListPage } from '@crm/http';
import type { Manifest } from '@crm/manifest';
import { Injectable } from '@nestjs/common';

/** A published app as the lists show it. */
export interface ListedApp {
  readonly key: string;
  readonly name: string;
  readonly kind: string;
  readonly summary: string | null;
  readonly version: string;
  readonly ratingCount: number;
  readonly ratingTotal: string;
}

/** An app and the package it is published with. */
export interface AppDetail extends ListedApp {
  readonly publisherName: string;
  readonly publishedAt: Date;
  readonly manifest: Manifest;
}

const LISTED = `a.key, a.name, a.kind, a.summary, v.version, a.rating_count as "ratingCount",
  a.rating_total as "ratingTotal"`;

/** Whether a tenant may see the app: public and unlisted ones everybody, private ones the publisher. */
const VISIBLE = `(a.visibility <> 'private' or a.tenant_id = $1)`;

/** What the marketplace shows: global tables, reached by the narrow role. */
@Injectable()
export class ListingRepository {
  /**
   * Public apps, and the caller's own private ones, by name.
   * @param words each of them has to occur
   */
  async list(
    tx: NarrowTransaction,
    tenantId: string,
    words: readonly string[],
    page: ListPage,
  ): Promise<{ rows: ListedApp[]; counted: number }> {
    const condition = `a.published_version_id is not null
      and (a.visibility = 'public' or (a.visibility = 'private' and a.tenant_id = $1))
      and not exists (select 1 from unnest($2::text[]) as word where strpos(a.search_text, word) = 0)`;
    const rows = await tx.query<ListedApp>(
      `select ${LISTED} from app a join app_version v on v.id = a.published_version_id where ${condition}
       and ($3::text is null or (a.name, a.key) > ($3, $4))
       order by a.name, a.key limit $5 offset $6`,
      [tenantId, words, page.after?.value ?? null, page.after?.id ?? null, page.limit, page.offset],
    );
    const [count] = await tx.query<{ counted: number }>(
      `select count(*)::int as counted from (select 1 from app a where ${condition} limit $3) as matching`,
      [tenantId, words, page.countLimit],
    );
    return { rows, counted: count?.counted ?? 0 };
  }

  /** A published app that the tenant may see. */
  async find(tx: NarrowTransaction, tenantId: string, key: string): Promise<AppDetail | undefined> {
    const [row] = await tx.query<AppDetail>(
      `select ${LISTED}, a.publisher_name as "publisherName", v.published_at as "publishedAt", v.manifest
       from app a join app_version v on v.id = a.published_version_id where a.key = $2 and ${VISIBLE}`,
      [tenantId, key],
    );
    return row;
  }
}
