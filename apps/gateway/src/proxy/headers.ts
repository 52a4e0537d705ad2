import type { IncomingHttpHeaders } from 'node:http';

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

/** Headers of the request to the service. */
export function requestHeaders(received: IncomingHttpHeaders, provenance: Provenance): IncomingHttpHeaders {
  const headers = Object.fromEntries(Object.entries(received).filter(([name]) => passes(name)));
  if (!provenance.hasBody) {
    delete headers['content-length'];
    delete headers['content-type'];
  }
  return {
    ...headers,
    'x-request-id': provenance.requestId,
    ...(provenance.traceparent && { traceparent: provenance.traceparent }),
    'x-forwarded-for': provenance.address,
    'x-forwarded-proto': provenance.protocol,
    ...(provenance.host && { 'x-forwarded-host': provenance.host }),
  };
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

/** Headers of the service's answer as the client gets them. */
export function responseHeaders(received: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(received).filter(([name]) => !RESPONSE_DROPPED.has(name)));
}
