import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply } from 'fastify';

/** Headers for one connection (RFC 9110, section 7.6.1), and headers that no service uses. */
const DROPPED = new Set([
  'connection',
  'cookie',
  'expect',
  'forwarded',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'via',
  'x-client-ip',
  'x-cluster-client-ip',
  'x-http-method-override',
  'x-original-url',
  'x-real-ip',
  'x-rewrite-url',
]);

/** Prefixes of headers that claim who is calling or from where; only the gateway may say that. */
const CLAIMS = [
  'x-forwarded-',
  'x-user',
  'x-tenant',
  'x-principal',
  'x-role',
  'x-scope',
  'x-auth',
  'x-internal',
  'x-crm',
];

function isForwarded(name: string): boolean {
  // An underscore becomes a dash in many frameworks, so both spellings are one name.
  const spelled = name.toLowerCase().replaceAll('_', '-');
  return !DROPPED.has(spelled) && !CLAIMS.some((claim) => spelled.startsWith(claim));
}

export interface Provenance {
  readonly requestId: string;
  readonly traceparent: string | undefined;
  readonly address: string;
  readonly protocol: string;
  readonly host: string | undefined;
  readonly hasBody: boolean;
}

/** Verdicts by name; limited, because clients can send any names. */
const verdicts = new Map<string, boolean>();
const MAX_VERDICTS = 1000;

function isForwardedCached(name: string): boolean {
  const known = verdicts.get(name);
  if (known !== undefined) return known;
  const verdict = isForwarded(name);
  if (verdicts.size < MAX_VERDICTS) verdicts.set(name, verdict);
  return verdict;
}

/** @param received with names in lower case, as Node provides them */
export function requestHeaders(
  received: IncomingHttpHeaders,
  provenance: Provenance,
): Record<string, string | string[] | undefined> {
  const hops = hopsOf(received.connection);
  const headers: Record<string, string | string[] | undefined> = {};
  for (const name in received) {
    if (isForwardedCached(name) && !hops?.has(name)) headers[name] = received[name];
  }
  // The client sets the service's host and the length of the body that is sent.
  headers.host = undefined;
  headers['content-length'] = undefined;
  if (!provenance.hasBody) headers['content-type'] = undefined;
  else headers['content-type'] ??= 'application/octet-stream';
  headers['x-request-id'] = provenance.requestId;
  if (provenance.traceparent) headers.traceparent = provenance.traceparent;
  headers['x-forwarded-for'] = provenance.address;
  headers['x-forwarded-proto'] = provenance.protocol;
  if (provenance.host) headers['x-forwarded-host'] = provenance.host;
  return headers;
}

/** Cookies that identity sets: what ties a sign-in to its browser, and the session of a page. */
export type PassedCookie = 'crm-sign-in' | 'crm-session';

const isNamed = (name: PassedCookie, cookie: string): boolean =>
  cookie.startsWith(`__Host-${name}=`) || cookie.startsWith(`${name}=`);

/** That cookie alone; undefined when there is none. */
export function passedCookie(name: PassedCookie, received: string | undefined): string | undefined {
  const cookies = (received ?? '').split(';').map((cookie) => cookie.trim());
  return cookies.filter((cookie) => isNamed(name, cookie)).join('; ') || undefined;
}

/** The headers that a `Connection` header limits to this connection; undefined when it names none. */
function hopsOf(connection: string | undefined): ReadonlySet<string> | undefined {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return undefined;
  return new Set(
    connection
      .toLowerCase()
      .split(',')
      .map((name) => name.trim()),
  );
}

/** Headers for one connection, as above, and headers that the gateway sets itself or that nobody needs to know. */
const RESPONSE_DROPPED = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'server',
  'x-powered-by',
  'set-cookie',
  'x-request-id',
]);

/** @param passed the one cookie that may be set */
export function copyResponseHeaders(received: IncomingHttpHeaders, reply: FastifyReply, passed?: PassedCookie): void {
  const set = passed ? [received['set-cookie'] ?? []].flat() : [];
  for (const cookie of set) if (passed && isNamed(passed, cookie)) reply.header('set-cookie', cookie);
  const hops = hopsOf(received.connection);
  for (const name in received) {
    if (!RESPONSE_DROPPED.has(name) && !hops?.has(name)) reply.header(name, received[name]);
  }
}
