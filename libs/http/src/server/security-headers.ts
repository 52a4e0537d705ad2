import { isEdge } from '@crm/contracts';
import type { FastifyInstance } from 'fastify';
import type { HttpConfig } from '../http-config.js';

/** Answers of an API must not be run, framed or sniffed. A page replaces the policy with its own. */
const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
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
