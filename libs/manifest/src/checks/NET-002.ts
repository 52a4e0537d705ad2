import type { Check } from '../check.js';
import { entriesOf } from '../draft.js';
import { pointer } from '../json-pointer.js';

export const NET_002: Check = {
  id: 'NET-002',
  title: 'Allowed embed origins are exact https origins',
  severity: 'blocker',
  doc: {
    why: 'The embed page lets exactly these origins frame it. A wildcard, a path or plain http would open it to pages the app does not control.',
    fix: 'Write each origin as `https://host` or `https://host:port`, in lower case and without anything after it.',
  },
  run: ({ manifest }) =>
    [...entriesOf(manifest.embed?.allowedOrigins)].flatMap(([i, origin]) => {
      const problem = originProblem(origin);
      return problem === undefined ? [] : [{ pointer: pointer('embed', 'allowedOrigins', i), message: problem }];
    }),
};

/**
 * A host as it may stand in a list of sources of a Content-Security-Policy: URLs allow more, among it the characters
 * that end a source or a directive. An address in brackets is what the URL parser has written.
 */
const SOURCE_HOST = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?|\[[0-9a-f:]+\])$/;

function originProblem(origin: string): string | undefined {
  if (origin.includes('*')) return 'An origin must be exact; "*" is not allowed.';
  if (!URL.canParse(origin)) return 'This is not an origin, such as https://app.example.com.';
  const url = new URL(origin);
  if (url.protocol !== 'https:') return 'An origin must begin with https://.';
  if (!SOURCE_HOST.test(url.hostname)) {
    return 'The host of an origin has only letters, digits, hyphens and underscores between its dots.';
  }
  return url.origin === origin ? undefined : `An origin is scheme, host and port only, here "${url.origin}".`;
}
