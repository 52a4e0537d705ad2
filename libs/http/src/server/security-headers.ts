import { isEdge, type ServiceName } from '@crm/contracts';
import type { FastifyInstance } from 'fastify';

export interface HttpConfig {
  readonly name: ServiceName;
  /** Public address of the gateway; error codes are explained below it. */
  readonly baseUrl: string;
  /** Addresses or ranges whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[];
}

export const HTTP_CONFIG = Symbol('crm:http-config');

/**
 * An answer must not be run, framed, sniffed or stored; `default-src` does not cover `base-uri` and `form-action`.
 * `no-store`: no call asks by `If-None-Match`, so a stored copy would only lie on a disk after the sign-out.
 */
const HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** Two years, as browsers' preload lists require. */
const HSTS = 'max-age=63072000; includeSubDomains';

/** The headers of every answer at a public address; undefined for a service behind the gateway, which sets them. */
export function securityHeaders({
  name,
  baseUrl,
}: Pick<HttpConfig, 'name' | 'baseUrl'>): Record<string, string> | undefined {
  if (!isEdge(name)) return undefined;
  const headers = { ...HEADERS };
  // Its page is there to be framed, by the origins that the page's own policy names; this header can name none.
  if (name === 'embed-gateway') delete headers['x-frame-options'];
  if (baseUrl.startsWith('https:')) headers['strict-transport-security'] = HSTS;
  return headers;
}

/** Sets them on every answer of a server at a public address, also on that of an unknown path. */
export function setSecurityHeaders(instance: FastifyInstance, config: Pick<HttpConfig, 'name' | 'baseUrl'>): void {
  const headers = securityHeaders(config);
  if (!headers) return;
  instance.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers);
    done();
  });
}
