import { bearerToken, TokenVerifier } from '@crm/access';
import type { Principal } from '@crm/context';
import { AUDIENCES, PlatformError } from '@crm/contracts';
import { DEFAULT_BODY_LIMIT, ProblemFilter } from '@crm/http';
import { startSpan } from '@crm/tracing';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js';
import { RateLimitService } from '../rate-limit/rate-limit.service.js';
import { ignoresToken, isAmbiguous, ROUTES, type Upstream, upstreamFor } from '../routing/routing.js';
import { SecurityHeadersService } from '../security-headers/security-headers.service.js';
import { describeForwarding } from './forward-span.js';
import { requestHeaders } from './forwarded-headers.js';
import { Upstreams } from './upstreams.js';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
const AUDIENCE = [AUDIENCES.api];

/** Forwards requests to the services, after the checks that an edge can make. */
@Injectable()
export class ProxyService implements OnModuleInit {
  private readonly problems: ProblemFilter;
  private readonly upstreams: Upstreams;

  constructor(
    private readonly adapters: HttpAdapterHost,
    private readonly verifier: TokenVerifier,
    private readonly limits: RateLimitService,
    private readonly security: SecurityHeadersService,
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
    // A body is forwarded unchanged; the service decides whether it is JSON.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: DEFAULT_BODY_LIMIT }, (_request, body, done) => {
      done(null, body);
    });
    scope.setErrorHandler((error, request, reply) => {
      this.problems.answer(error, request, reply);
    });
    // Most requests are admitted without a promise; an async hook would make one for each of them.
    scope.addHook('onRequest', (request, reply, done) => {
      try {
        const pending = this.admit(request, reply);
        if (pending) pending.then(() => done(), done);
        else done();
      } catch (refusal) {
        done(refusal as Error);
      }
    });
    scope.addHook('onResponse', (request, reply, done) => {
      const counted = this.limits.settle(request, reply.statusCode);
      if (counted) counted.then(() => done(), done);
      else done();
    });
    scope.addHook('onClose', () => this.upstreams.close());
    for (const [prefix] of ROUTES) {
      for (const url of [prefix, `${prefix}/*`]) {
        // Returns nothing: Fastify would await a returned reply, and nothing here depends on when it is sent.
        const handler = (request: FastifyRequest, reply: FastifyReply): void => this.forward(request, reply);
        scope.route({ method: METHODS, url, handler });
      }
    }
  }

  /** Refuses before a body is read: ambiguous paths, invalid tokens, callers beyond their limit. */
  private admit(request: FastifyRequest, reply: FastifyReply): void | Promise<void> {
    const path = pathOf(request);
    if (isAmbiguous(path)) throw new PlatformError('MALFORMED_REQUEST', 'The path is ambiguous');
    if (upstreamFor(path) === undefined) throw new PlatformError('NOT_FOUND');
    const remembered = this.rememberedPrincipal(request, path);
    if (remembered) return this.count(request, reply, path, remembered);
    return this.principalOf(request, path).then((principal) => this.count(request, reply, path, principal));
  }

  private count(
    request: FastifyRequest,
    reply: FastifyReply,
    path: string,
    principal: Principal | undefined,
  ): void | Promise<void> {
    if (principal) {
      request.callContext.principal = principal;
      request.callContext.tenantId = principal.tenantId;
    }
    return this.limits.admit(request, reply, path, principal);
  }

  /** The principal of a token that was verified before: nearly every request has one, and a promise would cost more. */
  private rememberedPrincipal(request: FastifyRequest, path: string): Principal | undefined {
    return ignoresToken(path) ? undefined : this.verifier.recallFrom(request.headers.authorization, AUDIENCE);
  }

  private async principalOf(request: FastifyRequest, path: string): Promise<Principal | undefined> {
    const header = request.headers.authorization;
    // Other schemes are left to the service: an installed app uses HTTP Basic at the token endpoint.
    if (header === undefined || ignoresToken(path) || !/^bearer\b/i.test(header)) return undefined;
    const token = bearerToken(header);
    if (token === undefined) throw new PlatformError('UNAUTHENTICATED');
    return this.verifier.verify(token, AUDIENCE);
  }

  private forward(request: FastifyRequest, reply: FastifyReply): void {
    const { method, callContext } = request;
    const upstream = upstreamFor(pathOf(request)) as Upstream;
    const body = (request.body as Buffer | undefined) ?? null;
    const span = startSpan(callContext.traceparent, describeForwarding, { method, upstream });
    const headers = requestHeaders(request.headers, {
      requestId: request.id,
      traceparent: span?.traceparent ?? callContext.traceparent,
      address: request.ip,
      protocol: request.protocol,
      host: request.headers.host,
      hasBody: body !== null,
    });
    this.upstreams.forward(upstream, { method, path: request.raw.url as string, headers, body, span }, reply, (error) =>
      this.problems.answer(asUnavailable(error), request, reply),
    );
  }
}

/** The path as received, without its query. */
function pathOf(request: FastifyRequest): string {
  const url = request.raw.url ?? '';
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
}

/** Codes of undici for a service that does not answer in time. */
const LATE: readonly unknown[] = ['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'];

/** The problem for a service that cannot be reached or does not answer in time. */
function asUnavailable(error: Error): PlatformError {
  const isLate = LATE.includes((error as { code?: unknown }).code);
  return new PlatformError(isLate ? 'DEADLINE_EXCEEDED' : 'SERVICE_UNAVAILABLE', undefined, {
    retryAfterSeconds: 2,
    cause: error,
  });
}
