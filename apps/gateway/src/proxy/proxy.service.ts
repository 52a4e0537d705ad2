import { bearerToken, TokenVerifier } from '@crm/access';
import { currentRequestContext, type Principal } from '@crm/context';
import { AUDIENCES, PlatformError } from '@crm/contracts';
import { DEFAULT_BODY_LIMIT, ProblemFilter } from '@crm/http';
import replyFrom from '@fastify/reply-from';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GatewayConfig } from '../config.js';
import { GATEWAY_CONFIG } from '../gateway.tokens.js';
import { RateLimits } from '../limits/rate-limits.js';
import { SecurityHeaders } from '../security/security-headers.js';
import { requestHeaders, responseHeaders } from './headers.js';
import { ignoresToken, isAmbiguous, ROUTES, type Upstream, upstreamFor } from './routing.js';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
/** Connections to one service. */
const CONNECTIONS = 128;
/** Milliseconds after which a service that does not accept a connection counts as down. */
const CONNECT_TIMEOUT_MS = 2000;
/** Shorter than the 72 s after which a service closes an idle connection, so that none is used as it closes. */
const IDLE_MS = 30_000;

/** Forwards what belongs to a service, after it was checked as far as an edge can. */
@Injectable()
export class ProxyService implements OnModuleInit {
  private readonly problems: ProblemFilter;

  constructor(
    private readonly adapters: HttpAdapterHost,
    private readonly verifier: TokenVerifier,
    private readonly limits: RateLimits,
    private readonly security: SecurityHeaders,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
  ) {
    this.problems = new ProblemFilter(config.service.baseUrl);
  }

  async onModuleInit(): Promise<void> {
    const instance = this.adapters.httpAdapter.getInstance<FastifyInstance>();
    this.security.install(instance);
    await instance.register(async (scope) => this.installRoutes(scope));
  }

  private async installRoutes(scope: FastifyInstance): Promise<void> {
    await scope.register(replyFrom, {
      disableRequestLogging: true,
      disableCache: true,
      destroyAgent: true,
      retryMethods: ['GET', 'HEAD'],
      undici: {
        connections: CONNECTIONS,
        connect: { timeout: CONNECT_TIMEOUT_MS },
        keepAliveTimeout: IDLE_MS,
        headersTimeout: this.config.upstreamTimeoutMs,
        bodyTimeout: this.config.upstreamTimeoutMs,
      },
    });
    // A body is passed on as it came; whether it is JSON is for the service to say.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: DEFAULT_BODY_LIMIT }, (_request, body, done) => {
      done(null, body);
    });
    scope.setErrorHandler((error, request, reply) => {
      this.problems.answer(error, request, reply);
    });
    scope.addHook('onRequest', (request, reply) => this.admit(request, reply));
    scope.addHook('onResponse', (request, reply) => this.limits.settle(request, reply.statusCode));
    for (const [prefix] of ROUTES) {
      for (const url of [prefix, `${prefix}/*`]) {
        scope.route({ method: METHODS, url, handler: (request, reply) => this.forward(request, reply) });
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
    return this.verifier.verify(token, [AUDIENCES.api]);
  }

  private forward(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const path = pathOf(request);
    const upstream = this.config.upstreams[upstreamFor(path) as Upstream];
    const body = request.body as Buffer | undefined;
    return reply.from(path, {
      getUpstream: () => upstream,
      ...(body && { body, contentType: request.headers['content-type'] ?? 'application/octet-stream' }),
      // One more try for reading calls whose kept connection turned out to be closed.
      retriesCount: 1,
      rewriteRequestHeaders: (_request, headers) =>
        requestHeaders(headers, {
          requestId: request.id,
          traceparent: request.callContext.traceparent,
          address: request.ip,
          protocol: request.protocol,
          host: request.headers.host,
          hasBody: body !== undefined,
        }),
      rewriteHeaders: (headers) => responseHeaders(headers),
      onError: (failed, { error }) => {
        this.problems.answer(asUnavailable(error), request, failed as unknown as FastifyReply);
      },
    });
  }
}

const pathOf = (request: FastifyRequest): string => (request.raw.url ?? '').split('?', 1)[0] as string;

/** A service that cannot be reached, and one that does not answer in time. */
function asUnavailable(error: Error): PlatformError {
  const { name, code } = (error.cause ?? error) as Error & { code?: string };
  const late = code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT' || name === 'HeadersTimeoutError';
  return new PlatformError(late ? 'DEADLINE_EXCEEDED' : 'SERVICE_UNAVAILABLE', undefined, {
    retryAfterSeconds: 2,
    cause: error,
  });
}
