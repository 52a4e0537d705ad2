import { parseUrl } from '@crm/address-policy';
import type { Check } from '../check.js';
import { entriesOf } from '../draft.js';
import { pointer } from '../json-pointer.js';

/** All of them stand in one header of each page; web servers take headers of about 16 kB. */
const MAX_ORIGINS = 50;
/** Longest name that the domain name system knows (RFC 1035, 2.3.4). */
const MAX_HOST = 253;

export const NET_002: Check = {
  id: 'NET-002',
  title: 'Allowed embed origins are exact https origins',
  severity: 'blocker',
  doc: {
    why: 'The embed page lets exactly these origins frame it. A wildcard, a path or plain http would open it to pages the app does not control. All of them are sent in one header with each page, so their number is bounded.',
    fix: 'Write each origin as `https://host` or `https://host:port`, in lower case and without anything after it, and at most 50 of them.',
  },
  *run({ manifest }) {
    const origins = manifest.embed?.allowedOrigins;
    if (origins !== undefined && origins.length > MAX_ORIGINS) {
      const message = `An app is embedded by at most ${MAX_ORIGINS} origins; these are ${origins.length}.`;
      yield { pointer: pointer('embed', 'allowedOrigins'), message };
    }
    for (const [i, origin] of entriesOf(origins)) {
      const message = originProblem(origin);
      if (message !== undefined) yield { pointer: pointer('embed', 'allowedOrigins', i), message };
    }
  },
};

/**
 * A host as it may stand in a list of sources of a Content-Security-Policy: URLs allow more, among it the characters
 * that end a source or a directive. An address in brackets is what the URL parser has written.
 */
const SOURCE_HOST = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?|\[[0-9a-f:]+\])$/;

function originProblem(origin: string): string | undefined {
  if (origin.includes('*')) return 'An origin must be exact; "*" is not allowed.';
  const url = parseUrl(origin);
  if (!url) return 'This is not an origin, such as https://app.example.com.';
  if (url.protocol !== 'https:') return 'An origin must begin with https://.';
  if (!SOURCE_HOST.test(url.hostname)) {
    return 'The host of an origin has only letters, digits, hyphens and underscores between its dots.';
  }
  if (url.hostname.length > MAX_HOST) return `The host of an origin has at most ${MAX_HOST} characters.`;
  return url.origin === origin ? undefined : `An origin is scheme, host and port only, here "${url.origin}".`;
}
