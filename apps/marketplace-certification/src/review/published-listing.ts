import type { Manifest } from '@crm/manifest';
import type { PublishedListing } from '../catalogue/app.repository.js';
import { storedText } from '../text/stored-text.js';

/** Length of the searched text in UTF-16 units; more of a description adds noise, not matches. */
const SEARCH_TEXT_LENGTH = 8000;

/** What the marketplace shows of a package in its lists, and what `q` searches. */
export function publishedListing(manifest: Manifest, publisherName: string): PublishedListing {
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
      SEARCH_TEXT_LENGTH,
    ),
  };
}
