import { bearerToken, TokenVerifier } from '@crm/access';
import { currentRequestContext, type Principal, runInRequestContext } from '@crm/context';
import { AUDIENCES, PlatformError } from '@crm/contracts';
import { DEFAULT_BODY_LIMIT, ProblemFilter } from '@crm/http';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GatewayConfig } from '../config.js';
import { GATEWAY_CONFIG } from '../gateway.tokens.js';
import { RateLimits } from '../limits/rate-limits.js';
import { SecurityHeaders } from '../security/security-headers.js';
import { requestHeaders } from './headers.js';
import { ignoresToken, isAmbiguous, ROUTES, type Upstream, upstreamFor } from './routing.js';
import { Upstreams } from './upstreams.js';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
const AUDIENCE = [AUDIENCES.api];

/** Forwards what belongs to a service, after it was checked as far as an edge can. */
@Injectable()
export class ProxyService implements OnModuleInit {
  private readonly problems: ProblemFilter;
  private readonly upstreams: Upstreams;

  constructor(
    private readonly adapters: HttpAdapterHost,
    private readonly verifier: TokenVerifier,
    private readonly limits: RateLimits,
    private readonly security: SecurityHeaders,
    @Inject(GATEWAY_CONFIG) config: GatewayConfig,
  ) {
    this.problems = new ProblemFilter(config.service.baseUrl);
    this.upstreams = new Upstreams(config.upstreams, config.upstreamTimeoutMs);
  }

  async onModuleInit(): Promise<void> {
    const instance = this.adapters.httpAdapter.getInstance<FastifyInstance>();
    this.security.install(instance);
    await instance.register(async (scope) => this.installRoutes(scope));
  }

  private installRoutes(scope: FastifyInstance): void {
    // A body is passed on as it came; whether it is JSON is for the service to say.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: DEFAULT_BODY_LIMIT }, (_request, body, done) => {
      done(null, body);
    });
    scope.setErrorHandler((error, request, reply) => {
      this.problems.answer(error, request, reply);
    });
    scope.addHook('onRequest', (request, reply) => this.admit(request, reply));
    scope.addHook('onResponse', (request, reply, done) => {
      const counted = this.limits.settle(request, reply.statusCode);
      if (counted) counted.then(() => done(), done);
      else done();
    });
    scope.addHook('onClose', () => this.upstreams.close());
    for (const [prefix] of ROUTES) {
      for (const url of [prefix, `${prefix}/*`]) {
        // No value is returned: a reply is awaited like a promise, and nobody needs to know here when it is sent.
        const handler = (request: FastifyRequest, reply: FastifyReply): void => this.forward(request, reply);
        scope.route({ method: METHODS, url, handler });
      }
    }
  }

  /** Refuses early, before a body is read: strange paths, tokens that do not hold, callers over their limit. */
  private async admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const path = pathOf(request);
    if (isAmbiguous(path)) throw new PlatformError('MALFORMED_REQUEST', 'The path is ambiguous');
    if (upstreamFor(path) === undefined) throw new PlatformError('NOT_FOUND');
    const principal = await this.principalOf(request, path);
    const context = currentRequestContext();
    if (context && principal) {
      context.principal = principal;
      context.tenantId = principal.tenantId;
    }
    await this.limits.admit(request, reply, path, principal);
  }

  private async principalOf(request: FastifyRequest, path: string): Promise<Principal | undefined> {
    const header = request.headers.authorization;
    // Other schemes are for the service: an installed app authenticates at the token endpoint by HTTP Basic.
    if (header === undefined || ignoresToken(path) || !/^bearer\b/i.test(header)) return undefined;
    const token = bearerToken(header);
    if (token === undefined) throw new PlatformError('UNAUTHENTICATED');
    return this.verifier.verify(token, AUDIENCE);
  }

  private forward(request: FastifyRequest, reply: FastifyReply): void {
    const body = (request.body as Buffer | undefined) ?? null;
    const headers = requestHeaders(request.headers, {
      requestId: request.id,
      traceparent: request.callContext.traceparent,
      address: request.ip,
      protocol: request.protocol,
      host: request.headers.host,
      hasBody: body !== null,
    });
    this.upstreams.forward(
      upstreamFor(pathOf(request)) as Upstream,
      { method: request.method, path: request.raw.url as string, headers, body },
      reply,
      // What happens on a connection to a service happens outside of the request's context.
      (error) =>
        runInRequestContext(request.callContext, () => this.problems.answer(asUnavailable(error), request, reply)),
    );
  }
}

/** The path as it came over the wire, without its query. */
function pathOf(request: FastifyRequest): string {
  const url = request.raw.url ?? '';
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
}

/** Codes of undici for a service that does not answer in time. */
const LATE: readonly unknown[] = ['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'];

/** A service that cannot be reached, and one that does not answer in time. */
function asUnavailable(error: Error): PlatformError {
  const isLate = LATE.includes((error as { code?: unknown }).code);
  return new PlatformError(isLate ? 'DEADLINE_EXCEEDED' : 'SERVICE_UNAVAILABLE', undefined, {
    retryAfterSeconds: 2,
    cause: error,
  });
}
