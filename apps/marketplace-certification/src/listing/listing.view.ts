import type { Manifest } from '@crm/manifest';
import type { Review } from '../rating/rating.repository.js';
import type { AppDetailView, AppView, PermissionView, ReviewView } from './listing.dto.js';
import type { Listing, ListingDetail } from './listing.repository.js';

/** An app as the lists of the API show it. */
export function viewOf(listing: Listing, installCount: number): AppView {
  const { key, name, kind, summary, version, ratingCount: count, ratingTotal } = listing;
  const average = count === 0 ? null : Math.round((Number(ratingTotal) / count) * 100) / 100;
  return { key, name, kind, summary, version, rating: { average, count }, installCount };
}

/** An app as its page in the marketplace shows it. */
export function detailViewOf(listing: ListingDetail, reviews: readonly Review[], installCount: number): AppDetailView {
  const { manifest } = listing;
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
    hosts: [...new Set((manifest.webhooks ?? []).map(({ url }) => new URL(url).host))],
    releaseNotes: manifest.release?.notes ?? null,
    reviews: reviews.map(reviewOf),
  };
}

/** What an administrator is asked to grant. */
function permissionsOf(manifest: Manifest): PermissionView[] {
  return (manifest.permissions ?? []).map((permission) =>
    typeof permission === 'string'
      ? { scope: permission, purpose: null, optional: false }
      : { scope: permission.scope, purpose: permission.purpose ?? null, optional: permission.optional ?? false },
  );
}

const reviewOf = ({ stars, text, updatedAt }: Review): ReviewView => ({ stars, text, at: updatedAt.toISOString() });
