import type { Principal } from '@crm/context';
import { PlatformError } from '@crm/contracts';
import { Database } from '@crm/database';
import { type ListAnswer, listAnswer, mapList, parsePage } from '@crm/http';
import type { Manifest } from '@crm/manifest';
import { Injectable } from '@nestjs/common';
import { InstallationRepository } from '../installation/installation.repository.js';
import { RatingRepository, type Review } from '../rating/rating.repository.js';
import { isIdentifier } from '../submission/identifier.js';
import { storedText } from '../submission/stored-text.js';
import type { AppAnswer, AppDetailAnswer, ListingQuery, ReviewAnswer } from './listing.dto.js';
import { type AppDetail, type ListedApp, ListingRepository } from './listing.repository.js';

/** Ratings with a text that an app's page shows. */
const SHOWN_REVIEWS = 10;

/** What a tenant sees of the marketplace. */
@Injectable()
export class ListingService {
  constructor(
    private readonly database: Database,
    private readonly listings: ListingRepository,
    private readonly ratings: RatingRepository,
    private readonly installations: InstallationRepository,
  ) {}

  /** @throws PlatformError INVALID_QUERY for a cursor of another tenant or list */
  async list(principal: Principal, query: ListingQuery): Promise<ListAnswer<AppAnswer>> {
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
    const counts = await this.counts(principal, keys);
    return mapList(list, (row) => listed(row, counts.get(row.key) ?? 0));
  }

  /** @throws PlatformError NOT_FOUND, also for what the tenant may not see */
  async find(principal: Principal, key: string): Promise<AppDetailAnswer> {
    if (!isIdentifier(key)) throw new PlatformError('NOT_FOUND');
    const found = await this.database.crossTenant(async (tx) => {
      const app = await this.listings.find(tx, principal.tenantId, key);
      return app && { app, reviews: await this.ratings.latest(tx, key, SHOWN_REVIEWS) };
    });
    if (!found) throw new PlatformError('NOT_FOUND');
    const counts = await this.counts(principal, [key]);
    return detailed(found.app, found.reviews, counts.get(key) ?? 0);
  }

  private counts(principal: Principal, keys: readonly string[]): Promise<Map<string, number>> {
    return this.database.transaction(principal.tenantId, (tx) => this.installations.counts(tx, keys));
  }
}

function listed(app: ListedApp, installCount: number): AppAnswer {
  const { key, name, kind, summary, version, ratingCount: count, ratingTotal } = app;
  const average = count === 0 ? null : Math.round((Number(ratingTotal) / count) * 100) / 100;
  return { key, name, kind, summary, version, rating: { average, count }, installCount };
}

function detailed(app: AppDetail, reviews: readonly Review[], installCount: number): AppDetailAnswer {
  const { manifest } = app;
  const {
    description = null,
    categories = [],
    icon = null,
    screenshots = [],
    visibility = 'public',
  } = manifest.listing ?? {};
  return {
    ...listed(app, installCount),
    publisher: { ...manifest.publisher, name: app.publisherName },
    publishedAt: app.publishedAt.toISOString(),
    description,
    categories,
    icon,
    screenshots,
    visibility,
    permissions: permissionsOf(manifest),
    objects: (manifest.objects ?? []).map(({ apiName, label }) => ({ apiName, label: label ?? apiName })),
    events: [...new Set((manifest.webhooks ?? []).flatMap(({ events }) => events))],
    hosts: [...new Set((manifest.webhooks ?? []).map(({ url }) => new URL(url).host))],
    releaseNotes: manifest.release?.notes ?? null,
    reviews: reviews.map(reviewOf),
  };
}

/** What an administrator is asked to grant. */
function permissionsOf(manifest: Manifest): AppDetailAnswer['permissions'] {
  return (manifest.permissions ?? []).map((permission) =>
    typeof permission === 'string'
      ? { scope: permission, purpose: null, optional: false }
      : { scope: permission.scope, purpose: permission.purpose ?? null, optional: permission.optional ?? false },
  );
}

const reviewOf = ({ stars, text, updatedAt }: Review): ReviewAnswer => ({ stars, text, at: updatedAt.toISOString() });
