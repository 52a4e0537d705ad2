import { Inject, Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js';

const ALLOWED_METHODS = 'GET, POST, PUT, PATCH, DELETE';
const ALLOWED_HEADERS = 'authorization, content-type, if-match, idempotency-key, x-device-token, x-request-id';
const EXPOSED_HEADERS = 'etag, ratelimit, ratelimit-policy, retry-after, x-device-token, x-request-id';
/** For which a browser may keep the answer to a preflight. */
const PREFLIGHT_SECONDS = '600';

/** Lets the pages of other origins call the API: the embed page's, and those that CORS_ORIGINS lists. */
@Injectable()
export class CrossOriginService {
  private readonly origins: ReadonlySet<string>;

  constructor(@Inject(GATEWAY_CONFIG) { service, corsOrigins }: GatewayConfig) {
    this.origins = new Set([new URL(service.embedApiUrl).origin, ...corsOrigins]);
  }

  install(instance: FastifyInstance): void {
    instance.addHook('onRequest', (request, reply, done) => {
      const { origin } = request.headers;
      if (origin !== undefined && this.origins.has(origin) && allow(request, reply, origin)) return;
      done();
    });
  }
}

/**
 * Credentials are not allowed: there are no cookies, the token is in a header.
 * @returns the reply, if the request was a preflight, which is answered now
 */
function allow(request: FastifyRequest, reply: FastifyReply, origin: string): FastifyReply | undefined {
  reply.headers({
    'access-control-allow-origin': origin,
    'access-control-expose-headers': EXPOSED_HEADERS,
    vary: 'origin',
  });
  if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined) return undefined;
  return reply
    .code(204)
    .headers({
      'access-control-allow-methods': ALLOWED_METHODS,
      'access-control-allow-headers': ALLOWED_HEADERS,
      'access-control-max-age': PREFLIGHT_SECONDS,
    })
    .send();
}
