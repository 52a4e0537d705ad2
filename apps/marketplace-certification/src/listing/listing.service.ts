import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database } from '@crm/database';
import { type ListAnswer, listAnswer, mapList, parsePage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { isIdentifier } from '../catalogue/identifier.js';
import { InstallCountRepository } from '../install-count/install-count.repository.js';
import { RatingRepository } from '../rating/rating.repository.js';
import { storedText } from '../text/stored-text.js';
import type { AppDetailView, AppView, ListingQuery } from './listing.dto.js';
import { ListingRepository } from './listing.repository.js';
import { detailViewOf, viewOf } from './listing.view.js';

/** Ratings with a text that an app's page shows. */
const SHOWN_REVIEWS = 10;

/** What a tenant sees of the marketplace. */
@Injectable()
export class ListingService {
  constructor(
    private readonly database: Database,
    private readonly listings: ListingRepository,
    private readonly ratings: RatingRepository,
    private readonly installCounts: InstallCountRepository,
  ) {}

  /** @throws PlatformError INVALID_QUERY for a cursor of another tenant or list */
  async list(principal: Principal, query: ListingQuery): Promise<ListAnswer<AppView>> {
    const { tenantId } = principal;
    const words = storedText(query.q ?? '', 200)
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== '');
    const page = parsePage(query, {
      tenantId,
      list: 'apps',
      sort: 'name',
      filter: words,
      value: 'text',
      id: 'text',
    });
    const { rows, counted } = await this.database.crossTenant((tx) => this.listings.list(tx, tenantId, words, page));
    const list = listAnswer(rows, page, counted, ({ name, key }) => ({ value: name, id: key }));
    const keys = list.data.map(({ key }) => key);
    const counts = await this.countInstalls(principal, keys);
    return mapList(list, (row) => viewOf(row, counts.get(row.key) ?? 0));
  }

  /** @throws PlatformError NOT_FOUND, also for what the tenant may not see */
  async get(principal: Principal, key: string): Promise<AppDetailView> {
    if (!isIdentifier(key)) throw new PlatformError('NOT_FOUND');
    const [listing, reviews] = await this.database.crossTenant((tx) =>
      Promise.all([this.listings.find(tx, principal.tenantId, key), this.ratings.listLatest(tx, key, SHOWN_REVIEWS)]),
    );
    if (!listing) throw new PlatformError('NOT_FOUND');
    const counts = await this.countInstalls(principal, [key]);
    return detailViewOf(listing, reviews, counts.get(key) ?? 0);
  }

  private countInstalls(principal: Principal, keys: readonly string[]): Promise<Map<string, number>> {
    return this.database.transaction(principal.tenantId, (tx) => this.installCounts.list(tx, keys));
  }
}
