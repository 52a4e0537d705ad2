import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database } from '@crm/database';
import { type ListAnswer, listAnswer, mapList, parsePage } from '@crm/http';
import { hostUses, type Manifest } from '@crm/manifest';
import { Injectable } from '@nestjs/common';
import { isIdentifier, storedText } from '../catalogue/catalogue.repository.js';
import { InstallCountRepository } from '../installation/installation.repository.js';
import { noticeViewOf } from '../installation/installation.service.js';
import { exposureNotices, NO_STANDING, standingNotices } from '../installation/notices.js';
import { OfferService } from '../installation/offer.service.js';
import type { AppDetailView, AppView, ListingQuery, PermissionView, ReviewView } from './listing.dto.js';
import { type Listing, type ListingDetail, ListingRepository } from './listing.repository.js';
import { RatingRepository, type Review } from './rating.repository.js';

const SHOWN_REVIEWS = 10;

@Injectable()
export class ListingService {
  constructor(
    private readonly database: Database,
    private readonly listings: ListingRepository,
    private readonly ratings: RatingRepository,
    private readonly installCounts: InstallCountRepository,
    private readonly offers: OfferService,
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
    const [counts, standings] = await Promise.all([
      this.countInstalls(principal, [key]),
      this.offers.listStandings([key]),
    ]);
    const notices = [...standingNotices(standings.get(key) ?? NO_STANDING), ...exposureNotices(listing.manifest)];
    return { ...detailViewOf(listing, reviews, counts.get(key) ?? 0), notices: notices.map(noticeViewOf) };
  }

  private countInstalls(principal: Principal, keys: readonly string[]): Promise<Map<string, number>> {
    return this.database.transaction(principal.tenantId, (tx) => this.installCounts.list(tx, keys));
  }
}

function viewOf(listing: Listing, installCount: number): AppView {
  const { key, name, kind, summary, version, ratingCount: count, ratingTotal } = listing;
  const average = count === 0 ? null : Math.round((Number(ratingTotal) / count) * 100) / 100;
  return { key, name, kind, summary, version, rating: { average, count }, installCount };
}

function detailViewOf(
  listing: ListingDetail,
  reviews: readonly Review[],
  installCount: number,
): Omit<AppDetailView, 'notices'> {
  const { manifest } = listing;
  const uses = hostUses(manifest);
  const {
    description = null,
    categories = [],
    icon = null,
    screenshots = [],
    visibility = 'public',
  } = manifest.listing ?? {};
  return {
    ...viewOf(listing, installCount),
    publisher: { ...manifest.publisher, name: listing.publisherName },
    publishedAt: listing.publishedAt.toISOString(),
    description,
    categories,
    icon,
    screenshots,
    visibility,
    permissions: permissionsOf(manifest),
    objects: (manifest.objects ?? []).map(({ apiName, label }) => ({ apiName, label: label ?? apiName })),
    events: [...new Set((manifest.webhooks ?? []).flatMap(({ events }) => events))],
    hosts: uses.map(({ host }) => host),
    hostUses: uses,
    releaseNotes: manifest.release?.notes ?? null,
    reviews: reviews.map(reviewOf),
  };
}

function permissionsOf(manifest: Manifest): PermissionView[] {
  return (manifest.permissions ?? []).map((permission) =>
    typeof permission === 'string'
      ? { scope: permission, purpose: null, optional: false }
      : { scope: permission.scope, purpose: permission.purpose ?? null, optional: permission.optional ?? false },
  );
}

const reviewOf = ({ stars, text, updatedAt }: Review): ReviewView => ({ stars, text, at: updatedAt.toISOString() });
