import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply } from 'fastify';

/** For one connection only (RFC 9110, section 7.6.1), or never of use behind the gateway. */
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

/** Beginnings of names by which a header claims who is calling or from where; only the gateway says that. */
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

/** Whether a header of the client goes on to the service. */
export function passes(name: string): boolean {
  // An underscore becomes a dash in many frameworks, so both spellings are one name.
  const spelled = name.toLowerCase().replaceAll('_', '-');
  return !DROPPED.has(spelled) && !CLAIMS.some((claim) => spelled.startsWith(claim));
}

/** What the gateway says about a request. */
export interface Provenance {
  readonly requestId: string;
  readonly traceparent: string | undefined;
  readonly address: string;
  readonly protocol: string;
  readonly host: string | undefined;
  readonly hasBody: boolean;
}

/** Names that were judged; callers invent names, so there is an end to what is remembered. */
const judged = new Map<string, boolean>();
const JUDGED_NAMES = 1000;

function passesAsBefore(name: string): boolean {
  const known = judged.get(name);
  if (known !== undefined) return known;
  const verdict = passes(name);
  if (judged.size < JUDGED_NAMES) judged.set(name, verdict);
  return verdict;
}

/**
 * Headers of the request to the service.
 * @param received with names in lower case, as Node gives them
 */
export function requestHeaders(
  received: IncomingHttpHeaders,
  provenance: Provenance,
): Record<string, string | string[] | undefined> {
  const hops = hopsOf(received.connection);
  const headers: Record<string, string | string[] | undefined> = {};
  for (const name in received) {
    if (passesAsBefore(name) && !hops?.has(name)) headers[name] = received[name];
  }
  // The host is the service's, the length is that of the body we send.
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

/** Names that a `Connection` header says are for this connection only; undefined where it names none. */
function hopsOf(connection: string | undefined): ReadonlySet<string> | undefined {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return undefined;
  return new Set(
    connection
      .toLowerCase()
      .split(',')
      .map((name) => name.trim()),
  );
}

const RESPONSE_DROPPED = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'server',
  'x-powered-by',
  'set-cookie',
  'x-request-id',
]);

/** Gives the client the headers of the service's answer. */
export function copyResponseHeaders(received: IncomingHttpHeaders, reply: FastifyReply): void {
  for (const name in received) {
    if (!RESPONSE_DROPPED.has(name)) reply.header(name, received[name]);
  }
}
