import { parseUrl } from '@crm/address-policy';
import type { Check } from '../check.js';
import { entriesOf } from '../draft.js';
import { pointer } from '../json-pointer.js';
import type { Problem } from '../problem.js';

export const LST_001: Check = {
  id: 'LST-001',
  title: 'The listing has a summary, support, privacy and terms',
  severity: 'warning',
  doc: {
    why: 'Tenants want to read in one sentence what the app does, whom to ask for help, and what happens to their data.',
    fix: 'Fill in `listing.summary`, `publisher.supportEmail`, `publisher.privacyUrl` and `publisher.termsUrl`. Links must be https (or http) URLs; pictures can also be `data:image/…` URLs.',
  },
  run({ manifest: { listing, publisher } }) {
    const wanted: [at: string, value: string | undefined, what: string][] = [
      ['/listing/summary', listing?.summary, 'summary'],
      ['/publisher/supportEmail', publisher?.supportEmail, 'support address'],
      ['/publisher/privacyUrl', publisher?.privacyUrl, 'privacy page'],
      ['/publisher/termsUrl', publisher?.termsUrl, 'terms page'],
    ];
    return [
      ...wanted
        .filter(([, value]) => value === undefined || value.trim() === '')
        .map(([at, , what]) => ({ pointer: at, message: `The package has no ${what}.` })),
      ...links([
        ['/publisher/website', publisher?.website],
        ['/publisher/privacyUrl', publisher?.privacyUrl],
        ['/publisher/termsUrl', publisher?.termsUrl],
      ]),
      ...pictures([
        ['/listing/icon', listing?.icon],
        ...[...entriesOf(listing?.screenshots)].map(([i, url]): Place => [pointer('listing', 'screenshots', i), url]),
      ]),
    ];
  },
};

type Place = [at: string, value: string | undefined];

function links(places: readonly Place[]): Problem[] {
  return places
    .filter(([, value]) => !['', 'http:', 'https:'].includes(schemeOf(value)))
    .map(([at]) => ({ pointer: at, message: 'A link must be an https address.' }));
}

function pictures(places: readonly Place[]): Problem[] {
  return places
    .filter(([, value]) => !['', 'http:', 'https:'].includes(schemeOf(value)) && !/^data:image\//i.test(value ?? ''))
    .map(([at]) => ({ pointer: at, message: 'A picture must be an https address.' }));
}

/** The scheme as a browser reads it, ignoring leading white space; empty when the text is not an absolute URL. */
function schemeOf(value: string | undefined): string {
  return (value !== undefined && parseUrl(value)?.protocol) || '';
}
