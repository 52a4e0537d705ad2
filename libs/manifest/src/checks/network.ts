import {
  checkAddress,
  checkHostname,
  type HostnameOptions,
  isAddress,
  MAX_URL_LENGTH,
  parseUrl,
} from '@crm/address-policy';
import type { Check } from '../check.js';
import { entriesOf } from '../example.js';
import { pointer } from '../json-pointer.js';
import { judgeUrl, MAX_HOSTS, outboundUrls, urlsByHost } from '../outbound-urls.js';
import type { Problem } from '../problem.js';
import { secretsIn } from '../secrets.js';

export const NET_001: Check = {
  id: 'NET-001',
  title: 'Every target is an https URL with a public host and an allowed port',
  severity: 'blocker',
  doc: {
    why: "The platform calls webhook, connector, and action targets from inside its own network. A private name or address, in any notation, would give access to hosts that aren't public.",
    fix: 'Use an `https` URL with a public host name and port 443, without user name and password. Placeholders are allowed only in the path and the query.',
  },
  async run(context) {
    const problems: Problem[] = [];
    for (const { text, pointer } of outboundUrls(context.manifest)) {
      const verdict = judgeUrl(text, context.addressPolicy);
      if (!verdict.ok) problems.push({ pointer, message: `${verdict.message}.` });
    }
    const hosts = urlsByHost(context.manifest, context.addressPolicy);
    if (hosts.size > MAX_HOSTS) {
      problems.push({ pointer: '', message: `A package can call up to ${MAX_HOSTS} hosts.` });
      return problems;
    }
    const names = [...hosts].filter(([host]) => !isAddress(host));
    if (!context.probes.resolveHost && problems.length === 0 && names.length > 0) {
      return { skip: 'The URLs are valid; only the server looks up their host names.' };
    }
    const outcomes = await Promise.all(
      names.map(async ([host, urls]) => {
        const answers = (await context.resolveHost(host)) ?? [];
        if (answers.every((address) => checkAddress(address).ok)) return [];
        const message = `${host} resolves to an address that isn't public.`;
        return urls.map(({ pointer }) => ({ pointer, message }));
      }),
    );
    return [...problems, ...outcomes.flat()];
  },
};

/** One header of each page lists all of them, and web servers accept headers of about 16 kB. */
const MAX_ORIGINS = 50;

export const NET_002: Check = {
  id: 'NET-002',
  title: 'Allowed embed origins are exact https origins of public hosts',
  severity: 'blocker',
  doc: {
    why: "Only these origins can frame the embed page. A wildcard, a path, or plain http would open it to pages the app doesn't control; so would a private name or address, which is a different host in every network. Without an origin, no one can frame it. All origins are sent in one header with each page, so their number is limited.",
    fix: 'Write each origin as `https://host` or `https://host:port`, with a public host, in lower case and without anything after it. List 1 to 50 origins.',
  },
  *run({ manifest, addressPolicy }) {
    const origins = manifest.embed?.allowedOrigins;
    if (origins !== undefined && (origins.length === 0 || origins.length > MAX_ORIGINS)) {
      const message = `List 1 to ${MAX_ORIGINS} origins; this package has ${origins.length}.`;
      yield { pointer: pointer('embed', 'allowedOrigins'), message };
    }
    for (const [i, origin] of entriesOf(origins)) {
      const message = originProblem(origin, addressPolicy);
      if (message !== undefined) yield { pointer: pointer('embed', 'allowedOrigins', i), message };
    }
  },
};

/** A port does no harm here: the platform calls nothing at it. */
function originProblem(origin: string, policy: HostnameOptions): string | undefined {
  if (origin.includes('*')) return 'An origin must be exact; "*" is not allowed.';
  const url = parseUrl(origin);
  if (!url) return 'Not a valid origin. Use scheme and host, such as https://app.example.com.';
  if (url.protocol !== 'https:') return 'An origin must begin with https://.';
  // URLs also allow characters that end a source or a directive of a Content-Security-Policy; host names do not.
  const verdict = checkHostname(url.hostname, policy);
  if (!verdict.ok) return `${verdict.message}.`;
  return url.origin === origin ? undefined : `An origin has only scheme, host, and port: write "${url.origin}".`;
}

export const NET_003: Check = {
  id: 'NET-003',
  title: 'Every host name resolves',
  severity: 'advice',
  doc: {
    why: "A name that doesn't resolve is often a typo. The package can still pass because every call looks up the name again.",
    fix: 'Check the spelling, or create the DNS entry before anyone installs the app.',
  },
  async run(context) {
    if (!context.probes.resolveHost) return { skip: 'Only the server looks up host names.' };
    const hosts = [...urlsByHost(context.manifest, context.addressPolicy)].slice(0, MAX_HOSTS);
    const outcomes = await Promise.all(
      hosts.map(async ([host, urls]) => {
        // An address needs no lookup.
        const answers = isAddress(host) ? [host] : await context.resolveHost(host);
        return answers?.length === 0
          ? urls.map(({ pointer }) => ({
              pointer,
              message: `${host} doesn't resolve. Check the spelling or its DNS entry.`,
            }))
          : [];
      }),
    );
    return outcomes.flat();
  },
};

/** More than the environments of one app; each is compared with every request. */
const MAX_REDIRECT_URIS = 20;

export const NET_004: Check = {
  id: 'NET-004',
  title: 'Redirect URIs are exact https URLs',
  severity: 'blocker',
  doc: {
    why: "After consent, users are sent to one of these URIs with a code that the app exchanges for tokens. They are compared character by character with what the app sends, so wildcards aren't possible.",
    fix: 'Write each URL in full, as `https://host/path`, in the spelling of the URL standard: lower-case host, no default port, no user name, no fragment, no `*`. List up to 20.',
  },
  *run({ manifest }) {
    const uris = manifest.oauth?.redirectUris;
    if (uris !== undefined && (uris.length === 0 || uris.length > MAX_REDIRECT_URIS)) {
      const message = `List 1 to ${MAX_REDIRECT_URIS} redirect URIs; this package has ${uris.length}.`;
      yield { pointer: pointer('oauth', 'redirectUris'), message };
    }
    const seen = new Set<string>();
    for (const [i, uri] of entriesOf(uris)) {
      const message = seen.has(uri) ? 'This redirect URI is listed twice. Remove one.' : redirectProblem(uri);
      seen.add(uri);
      if (message !== undefined) yield { pointer: pointer('oauth', 'redirectUris', i), message };
    }
  },
};

function redirectProblem(uri: string): string | undefined {
  if (uri.length > MAX_URL_LENGTH) return `A redirect URI can have up to ${MAX_URL_LENGTH} characters.`;
  if (uri.includes('*')) return 'A redirect URI must be exact; "*" is not allowed.';
  if (uri.includes('{{')) return 'A redirect URI must be exact; placeholders are not allowed.';
  const url = parseUrl(uri);
  if (!url) return 'This is not an address. Example: https://app.example.com/callback.';
  if (url.protocol !== 'https:') return 'A redirect URI must begin with https://.';
  if (uri.includes('#')) return 'A redirect URI must not have a fragment.';
  if (url.username !== '' || url.password !== '') return 'A redirect URI must not have a user name.';
  // RFC 6749, section 3.1.2.2: a code and its companions are added to the query, and must not be there already.
  const taken = RESERVED.find((name) => url.searchParams.has(name));
  if (taken !== undefined) return `Remove the parameter "${taken}" from the query of this redirect URI.`;
  return url.href === uri ? undefined : `Write this redirect URI as "${url.href}".`;
}

/** What is added to the address when the user has decided. */
const RESERVED = ['code', 'state', 'iss', 'error', 'error_description', 'installation_id'];

export const SEC_001: Check = {
  id: 'SEC-001',
  title: 'The package contains no secret',
  severity: 'blocker',
  doc: {
    why: 'A package is stored, reviewed, and shown. Everyone who sees it knows the keys and tokens in it, even after they are removed.',
    fix: 'Revoke the secret, remove it from the package, and keep the new one on the app’s own server.',
  },
  run: ({ document }) => secretsIn(document),
};
