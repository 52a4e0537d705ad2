import { parseUrl } from '@crm/address-policy';
import type { Check } from '../check.js';
import { entriesOf } from '../draft.js';
import { pointer } from '../json-pointer.js';

/** One header of each page lists all of them, and web servers accept headers of about 16 kB. */
const MAX_ORIGINS = 50;
/** Longest domain name (RFC 1035, 2.3.4). */
const MAX_HOST = 253;

export const NET_002: Check = {
  id: 'NET-002',
  title: 'Allowed embed origins are exact https origins',
  severity: 'blocker',
  doc: {
    why: 'The embed page can be framed by exactly these origins. A wildcard, a path or plain http would open it to pages the app does not control. All origins are sent in one header with each page, so their number is limited.',
    fix: 'Write each origin as `https://host` or `https://host:port`, in lower case and without anything after it. List at most 50 origins.',
  },
  *run({ manifest }) {
    const origins = manifest.embed?.allowedOrigins;
    if (origins !== undefined && origins.length > MAX_ORIGINS) {
      const message = `An app can have at most ${MAX_ORIGINS} embed origins, but this one has ${origins.length}.`;
      yield { pointer: pointer('embed', 'allowedOrigins'), message };
    }
    for (const [i, origin] of entriesOf(origins)) {
      const message = originProblem(origin);
      if (message !== undefined) yield { pointer: pointer('embed', 'allowedOrigins', i), message };
    }
  },
};

/**
 * A host as allowed in a source list of a Content-Security-Policy. URLs allow more characters, including those that end
 * a source or a directive. An address in brackets comes from the URL parser.
 */
const SOURCE_HOST = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?|\[[0-9a-f:]+\])$/;

function originProblem(origin: string): string | undefined {
  if (origin.includes('*')) return 'An origin must be exact; "*" is not allowed.';
  const url = parseUrl(origin);
  if (!url) return 'This is not an origin. Example: https://app.example.com.';
  if (url.protocol !== 'https:') return 'An origin must begin with https://.';
  if (!SOURCE_HOST.test(url.hostname)) {
    return 'The host of an origin can have only letters, digits, hyphens and underscores between its dots.';
  }
  if (url.hostname.length > MAX_HOST) return `The host of an origin can have at most ${MAX_HOST} characters.`;
  return url.origin === origin ? undefined : `An origin consists of scheme, host and port only: "${url.origin}".`;
}
