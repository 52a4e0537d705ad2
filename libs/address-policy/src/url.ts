import { type Refusal, refuse } from './address.js';
import { checkHostname, type HostnameOptions, normalizeHostname } from './hostname.js';

/**
 * Parses a URL with the WHATWG parser; undefined when the text is not a URL. Replaces `URL.canParse`, which in Node 20
 * gives wrong answers for non-ASCII letters once it has been optimised: after some thousand calls it rejects
 * `https://bücher.de/`.
 * @param base the URL that a relative one is resolved against
 */
export function parseUrl(text: string, base?: string | URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch (error) {
    // The constructor throws nothing else for strings. Compared by name because the error may come from another realm.
    if ((error as Error).name === 'TypeError') return undefined;
    throw error;
  }
}

/** A host (name or address, without brackets) and a port. */
export interface HostPort {
  host: string;
  port: number;
}

export interface UrlOptions extends HostnameOptions {
  /** Ports allowed in addition to 443. */
  allowedPorts?: readonly number[];
  /** Exact hosts and ports that are allowed regardless of the policy. Development only. */
  exceptions?: readonly HostPort[];
}

export type UrlVerdict = { ok: true; url: URL } | Refusal;

/** Longest URL in characters, before and after parsing: what receivers and proxies commonly accept. */
export const MAX_URL_LENGTH = 2048;

const HTTPS_PORT = 443;

/** The port of an https URL, including the default port. */
export function portOf(url: URL): number {
  return url.port === '' ? HTTPS_PORT : Number(url.port);
}

/** The host of a URL in the form used for comparisons: lower case, no brackets, no trailing dot. */
export function hostOf(url: URL): string {
  return normalizeHostname(url.hostname.replace(/^\[|\]$/g, ''));
}

export function isException(url: URL, exceptions: readonly HostPort[] = []): boolean {
  const host = hostOf(url);
  const port = portOf(url);
  return exceptions.some((entry) => entry.port === port && normalizeHostname(entry.host) === host);
}

/**
 * Returns whether a URL may be called: https, no user name or password, port 443 or a listed one, a public host name or
 * address, at most {@link MAX_URL_LENGTH} characters. Everything is checked on the URL as the WHATWG parser reads it,
 * so that no notation of a host means one thing here and another to the HTTP client.
 * @param text the URL as entered
 * @returns the parsed URL; callers must use it and not the text
 */
export function checkUrl(text: string, options: UrlOptions = {}): UrlVerdict {
  if (text.length > MAX_URL_LENGTH) return tooLong();
  const url = parseUrl(text);
  if (!url) return refuse('invalid_url', 'Not an absolute URL. Start with https://');
  if (url.href.length > MAX_URL_LENGTH) return tooLong();
  if (url.protocol !== 'https:') return refuse('not_https', 'The URL must use https');
  if (url.username !== '' || url.password !== '') {
    return refuse('has_userinfo', "The URL can't contain a user name or password");
  }
  if (isException(url, options.exceptions)) return { ok: true, url };

  const port = portOf(url);
  if (port !== HTTPS_PORT && !options.allowedPorts?.includes(port)) {
    return refuse('refused_port', `Port ${port} isn't allowed`);
  }
  const verdict = checkHostname(url.hostname, options);
  return verdict.ok ? { ok: true, url } : verdict;
}

function tooLong(): Refusal {
  return refuse('url_too_long', `A URL can have up to ${MAX_URL_LENGTH} characters`);
}
