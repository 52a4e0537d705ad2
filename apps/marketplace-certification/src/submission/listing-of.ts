import type { Manifest } from '@crm/manifest';
import { storedText } from './stored-text.js';
import type { Listing } from './submission.repository.js';

/** Searched text in characters; more of a description adds noise, not matches. */
const SEARCH_TEXT = 8000;

/** What the marketplace shows of a package in its lists, and what `q` looks in. */
export function listingOf(manifest: Manifest, publisherName: string): Listing {
  const { summary, description, categories, visibility = 'public' } = manifest.listing ?? {};
  return {
    name: storedText(manifest.name, 200),
    kind: manifest.kind,
    summary: summary === undefined ? null : storedText(summary, 1000),
    visibility,
    searchText: storedText(
      [manifest.key, manifest.name, publisherName, summary, ...(categories ?? []), description]
        .filter((text) => text !== undefined)
        .join(' ')
        .toLowerCase(),
      SEARCH_TEXT,
    ),
  };
}
