import { MAX_URL_LENGTH, parseUrl } from '@crm/address-policy';
import type { Check } from '../check.js';
import { entriesOf } from '../draft.js';
import { pointer } from '../json-pointer.js';

/** More than the environments of one app; each is compared with every request. */
const MAX_REDIRECT_URIS = 20;

export const NET_004: Check = {
  id: 'NET-004',
  title: 'Redirect URIs are exact https addresses',
  severity: 'blocker',
  doc: {
    why: 'A user who allows the app to act for them is sent to one of these addresses, with a code that the app exchanges for tokens. They are compared character by character with what the app sends, so nothing in them can stand for something else.',
    fix: 'Write each address in full, as `https://host/path`, in the spelling of the URL standard: host in lower case, no default port, no user name, no fragment, no `*`. List at most 20.',
  },
  *run({ manifest }) {
    const uris = manifest.oauth?.redirectUris;
    if (uris !== undefined && (uris.length === 0 || uris.length > MAX_REDIRECT_URIS)) {
      const message = `An app that acts for users has 1 to ${MAX_REDIRECT_URIS} redirect URIs, but this one has ${uris.length}.`;
      yield { pointer: pointer('oauth', 'redirectUris'), message };
    }
    const seen = new Set<string>();
    for (const [i, uri] of entriesOf(uris)) {
      const message = seen.has(uri) ? 'This redirect URI is listed twice.' : redirectProblem(uri);
      seen.add(uri);
      if (message !== undefined) yield { pointer: pointer('oauth', 'redirectUris', i), message };
    }
  },
};

function redirectProblem(uri: string): string | undefined {
  if (uri.length > MAX_URL_LENGTH) return `A redirect URI can have at most ${MAX_URL_LENGTH} characters.`;
  if (uri.includes('*')) return 'A redirect URI must be exact; "*" is not allowed.';
  if (uri.includes('{{')) return 'A redirect URI must be exact; placeholders are not allowed.';
  const url = parseUrl(uri);
  if (!url) return 'This is not an address. Example: https://app.example.com/callback.';
  if (url.protocol !== 'https:') return 'A redirect URI must begin with https://.';
  if (uri.includes('#')) return 'A redirect URI must not have a fragment.';
  if (url.username !== '' || url.password !== '') return 'A redirect URI must not have a user name.';
  // RFC 6749, section 3.1.2.2: a code and its companions are added to the query, and must not be there already.
  const taken = RESERVED.find((name) => url.searchParams.has(name));
  if (taken !== undefined) return `The query of a redirect URI must not have the parameter "${taken}".`;
  return url.href === uri ? undefined : `The redirect URI has another spelling: "${url.href}".`;
}

/** What is added to the address when the user has decided. */
const RESERVED = ['code', 'state', 'iss', 'error', 'error_description', 'installation_id'];
