import { bearerToken, type Principal, TokenVerifier } from '@crm/access';
import { AUDIENCES, PlatformError } from '@crm/contracts';
import { ProblemFilter } from '@crm/http';
import { addressKey } from '@crm/limits';
import { startSpan } from '@crm/telemetry';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiKeyService } from '../admission/api-key.service.js';
import { BodyBudget, type Sender } from '../admission/body-budget.js';
import { CrossOriginService } from '../admission/cross-origin.service.js';
import { RateLimitService } from '../admission/rate-limit.service.js';
import { readBody } from '../bodies/read-body.js';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js';
import { isAmbiguous, ROUTES, type Route, routeFor } from '../routing/routing.js';
import { acceptsGzip } from './compression.js';
import { describeForwarding } from './forward-span.js';
import { requestHeaders, signInCookie } from './forwarded-headers.js';
import { UpstreamConnector } from './upstream-connector.js';
import { UpstreamPaused, Upstreams } from './upstreams.js';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
const AUDIENCE = [AUDIENCES.api];

/** Forwards requests to the services, after the checks that an edge can make. */
@Injectable()
export class ProxyService implements OnModuleInit {
  private readonly problems: ProblemFilter;
  private readonly upstreams: Upstreams;
  private readonly timeoutMs: number;

  constructor(
    private readonly adapters: HttpAdapterHost,
    private readonly verifier: TokenVerifier,
    private readonly keys: ApiKeyService,
    private readonly limits: RateLimitService,
    private readonly bodies: BodyBudget,
    private readonly origins: CrossOriginService,
    connector: UpstreamConnector,
    @Inject(GATEWAY_CONFIG) config: GatewayConfig,
  ) {
    this.problems = new ProblemFilter(config.service.baseUrl);
    this.timeoutMs = config.upstreamTimeoutMs;
    this.upstreams = new Upstreams(config.upstreams, connector, this.timeoutMs);
  }

  async onModuleInit(): Promise<void> {
    const instance = this.adapters.httpAdapter.getInstance<FastifyInstance>();
    this.origins.install(instance);
    // Declared, so that all requests have one shape from the beginning.
    instance.decorateRequest('forwardRoute', undefined);
    instance.decorateRequest('mostBodyBytes', 0);
    await instance.register(async (scope) => this.installRoutes(scope));
  }

  private installRoutes(scope: FastifyInstance): void {
    // A body is forwarded unchanged; the service decides whether it is JSON.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (request, payload, done) => readBody(payload, request.mostBodyBytes, done));
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

  /** Refuses before a body is read: ambiguous paths, invalid tokens, callers beyond their limit, bodies without room. */
  private admit(request: FastifyRequest, reply: FastifyReply): void | Promise<void> {
    const path = pathOf(request);
    if (isAmbiguous(path)) throw new PlatformError('MALFORMED_REQUEST', 'The path is ambiguous');
    const route = routeFor(path);
    if (route === undefined) throw new PlatformError('NOT_FOUND');
    request.forwardRoute = route;
    let remembered: Principal | undefined;
    try {
      remembered = this.rememberedPrincipal(request, route);
    } catch (refusal) {
      return this.limits.refuseToken(request, refusal);
    }
    if (remembered) return this.count(request, reply, route, path, remembered);
    return this.principalOf(request, route).then((principal) => this.count(request, reply, route, path, principal));
  }

  private count(
    request: FastifyRequest,
    reply: FastifyReply,
    { routeClass }: Route,
    path: string,
    principal: Principal | undefined,
  ): void | Promise<void> {
    if (principal) {
      request.callContext.principal = principal;
      request.callContext.tenantId = principal.tenantId;
    }
    const counted = this.limits.admit(request, reply, routeClass, path, principal);
    const bytes = announcedBytes(request, principal ? routeClass.bodyBytes : routeClass.strangerBytes);
    if (bytes === 0) return counted;
    request.mostBodyBytes = bytes;
    const sender: Sender = principal
      ? { room: 'tenant', key: principal.tenantId }
      : { room: routeClass.room, key: addressKey(request.ip) };
    if (counted) return counted.then(() => this.makeRoom(reply, sender, bytes));
    this.makeRoom(reply, sender, bytes);
  }

  private makeRoom(reply: FastifyReply, sender: Sender, bytes: number): void {
    const leave = this.bodies.take(sender, bytes);
    if (!leave) {
      throw new PlatformError('SERVICE_UNAVAILABLE', 'Too many bodies are on their way', { retryAfterSeconds: 1 });
    }
    // Emitted once, also when the client goes away before the answer, for which Fastify runs no hook.
    reply.raw.once('close', leave);
  }

  /**
   * The principal of a token that was verified before, or of a key that was exchanged: nearly every request has one, and a
   * promise would cost more.
   */
  private rememberedPrincipal(request: FastifyRequest, { routeClass }: Route): Principal | undefined {
    if (routeClass.ignoresToken) {
      this.keys.withhold(request);
      return undefined;
    }
    return this.verifier.recallFrom(request.headers.authorization, AUDIENCE) ?? this.keys.recall(request);
  }

  private async principalOf(request: FastifyRequest, { routeClass }: Route): Promise<Principal | undefined> {
    const header = request.headers.authorization;
    // Other schemes are left to the service: an installed app uses HTTP Basic at the token endpoint.
    if (header === undefined || routeClass.ignoresToken || !/^bearer\b/i.test(header)) return undefined;
    return this.limits.tryToken(request, async () => {
      const token = bearerToken(header);
      if (token === undefined) throw new PlatformError('UNAUTHENTICATED');
      return this.keys.isKey(token) ? this.keys.exchange(request, token) : this.verifier.verify(token, AUDIENCE);
    });
  }

  private forward(request: FastifyRequest, reply: FastifyReply): void {
    const { method, callContext } = request;
    const { upstream, routeClass } = request.forwardRoute as Route;
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
    const { passesSignInCookie } = routeClass;
    if (passesSignInCookie) headers.cookie = signInCookie(request.headers.cookie);
    const timeoutMs = routeClass.timeoutMs && Math.min(routeClass.timeoutMs, this.timeoutMs);
    const compression =
      routeClass.compresses && method === 'GET' ? compressionFor(request.headers['accept-encoding']) : undefined;
    const forwarded = {
      method,
      path: request.raw.url as string,
      headers,
      body,
      span,
      timeoutMs,
      compression,
      passesSignInCookie,
    };
    this.upstreams.forward(upstream, forwarded, reply, (error) =>
      this.problems.answer(asUnavailable(error), request, reply),
    );
  }
}

/**
 * The length that a body is going to have; the most that is allowed if it comes in chunks, which announce nothing.
 * @throws PlatformError PAYLOAD_TOO_LARGE
 */
function announcedBytes({ headers }: FastifyRequest, most: number): number {
  const length = headers['content-length'];
  if (length === undefined) return headers['transfer-encoding'] === undefined ? 0 : most;
  const bytes = Number(length);
  if (bytes > most) throw new PlatformError('PAYLOAD_TOO_LARGE');
  return bytes;
}

const compressionFor = (accepted: string | string[] | undefined): 'gzip' | 'not accepted' =>
  acceptsGzip(accepted) ? 'gzip' : 'not accepted';

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
  if (error instanceof UpstreamPaused) {
    return new PlatformError('SERVICE_UNAVAILABLE', undefined, {
      retryAfterSeconds: error.waitMs / 1000,
      cause: error,
    });
  }
  const isLate = LATE.includes((error as { code?: unknown }).code);
  return new PlatformError(isLate ? 'DEADLINE_EXCEEDED' : 'SERVICE_UNAVAILABLE', undefined, {
    retryAfterSeconds: 2,
    cause: error,
  });
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Where the request goes; set when it is admitted. */
    forwardRoute?: Route;
    /** Bytes that its body may have; set when it is admitted. */
    mostBodyBytes: number;
  }
}
