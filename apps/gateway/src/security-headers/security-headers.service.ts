import { Inject, Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js';

/** Answers of the API must not be run, framed or sniffed. A page replaces the policy with its own. */
const HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;

/** Two years, as browsers' preload lists require. */
const HSTS = 'max-age=63072000; includeSubDomains';

const ALLOWED_METHODS = 'GET, POST, PUT, PATCH, DELETE';
const ALLOWED_HEADERS = 'authorization, content-type, if-match, idempotency-key, x-request-id';
const EXPOSED_HEADERS = 'etag, ratelimit, ratelimit-policy, retry-after, x-request-id';
/** Seconds a browser may keep the answer to a preflight. */
const PREFLIGHT_SECONDS = '600';

/** Sets the security headers of every answer, and lets the pages of one other origin call the API: the embed page's. */
@Injectable()
export class SecurityHeadersService {
  private readonly headers: Readonly<Record<string, string>>;
  private readonly embedOrigin: string;

  constructor(@Inject(GATEWAY_CONFIG) { service }: GatewayConfig) {
    this.headers = service.baseUrl.startsWith('https:') ? { ...HEADERS, 'strict-transport-security': HSTS } : HEADERS;
    this.embedOrigin = new URL(service.embedApiUrl).origin;
  }

  install(instance: FastifyInstance): void {
    instance.addHook('onRequest', (request, reply, done) => {
      reply.headers(this.headers);
      if (this.isFromEmbedPage(request) && this.allowEmbedPage(request, reply)) return;
      done();
    });
  }

  private isFromEmbedPage(request: FastifyRequest): boolean {
    return request.headers.origin === this.embedOrigin;
  }

  /** Credentials are not allowed: there are no cookies, the token is in a header. */
  private allowEmbedPage(request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined {
    reply.headers({
      'access-control-allow-origin': this.embedOrigin,
      'access-control-expose-headers': EXPOSED_HEADERS,
      vary: 'origin',
    });
    if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined)
      return undefined;
    return reply
      .code(204)
      .headers({
        'access-control-allow-methods': ALLOWED_METHODS,
        'access-control-allow-headers': ALLOWED_HEADERS,
        'access-control-max-age': PREFLIGHT_SECONDS,
      })
      .send();
  }
}
