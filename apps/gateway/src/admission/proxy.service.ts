import { bearerToken, type Principal, TokenVerifier } from '@crm/access';
import { AUDIENCES, PlatformError } from '@crm/contracts';
import { addressKey } from '@crm/limits';
import {
  announcedBytes,
  EdgeProxy,
  type ForwardedUrl,
  isAmbiguous,
  PROXY_CONFIG,
  type ProxyConfig,
  pathOf,
  UpstreamConnector,
} from '@crm/runtime/proxy';
import { counter, gauge } from '@crm/telemetry';
import { Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type BodyLimits, GATEWAY_CONFIG, type GatewayConfig } from '../config.js';
import { ROUTES, type Route, type RouteClass, routeFor, SENDER_KINDS, type SenderKind } from '../routing/routing.js';
import { ApiKeyService } from './api-key.service.js';
import { RateLimitService } from './rate-limit.service.js';

const bodyBytes = gauge(
  'gateway_body_bytes',
  'Announced bytes of the bodies on their way, by who sends them: tenants, or without a token addresses, credentials and hooks',
  ['sender'],
);

const refusedBodies = counter(
  'gateway_bodies_refused_total',
  'Bodies that were refused because too many bytes were on their way',
  ['sender'],
);

export type Sender = { readonly kind: SenderKind; readonly key: string };

/** Where no body is longer than 16 KiB, a part of the budget for hooks is enough. */
const SHORT_BODIES = { each: 1 / 8, all: 1 / 4 };

/**
 * A body counts with its announced length from before it is read until its call is answered. Nobody without a token takes the
 * budget of tenants, no tenant that of all; when one kind of calls without a token has used its budget up, people can still sign in.
 */
@Injectable()
export class BodyBudget {
  private readonly budgets: Readonly<Record<SenderKind, ByteBudget>>;

  constructor(@Inject(GATEWAY_CONFIG) { bodies }: GatewayConfig) {
    const short = { each: bodies.address.each * SHORT_BODIES.each, all: bodies.address.all * SHORT_BODIES.all };
    this.budgets = {
      tenant: new ByteBudget(bodies.tenant),
      address: new ByteBudget(short),
      credentials: new ByteBudget(short),
      hook: new ByteBudget(bodies.address),
    };
    for (const sender of SENDER_KINDS) bodyBytes.set({ sender }, 0);
  }

  /** @returns what to call when the body is gone, once; undefined when the budget does not allow it */
  take({ kind: sender, key }: Sender, bytes: number): (() => void) | undefined {
    const budget = this.budgets[sender];
    if (!budget.take(key, bytes)) {
      refusedBodies.inc({ sender });
      return undefined;
    }
    bodyBytes.set({ sender }, budget.used);
    return () => {
      budget.leave(key, bytes);
      bodyBytes.set({ sender }, budget.used);
    };
  }
}

class ByteBudget {
  used = 0;
  private readonly byKey = new Map<string, number>();

  constructor(private readonly limits: BodyLimits) {}

  take(key: string, bytes: number): boolean {
    const own = (this.byKey.get(key) ?? 0) + bytes;
    if (own > this.limits.each || this.used + bytes > this.limits.all) return false;
    this.byKey.set(key, own);
    this.used += bytes;
    return true;
  }

  leave(key: string, bytes: number): void {
    const own = (this.byKey.get(key) ?? 0) - bytes;
    if (own > 0) this.byKey.set(key, own);
    else this.byKey.delete(key);
    this.used -= bytes;
  }
}

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
 * Credentials are not allowed: the token is in a header, and the one cookie is for the platform's own pages.
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

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
const AUDIENCE = [AUDIENCES.api];

@Injectable()
export class ProxyService extends EdgeProxy {
  constructor(
    private readonly server: HttpAdapterHost,
    private readonly verifier: TokenVerifier,
    private readonly keys: ApiKeyService,
    private readonly limits: RateLimitService,
    private readonly bodies: BodyBudget,
    private readonly origins: CrossOriginService,
    connector: UpstreamConnector,
    @Inject(PROXY_CONFIG) config: ProxyConfig,
  ) {
    super(server, connector, config);
  }

  override async onModuleInit(): Promise<void> {
    this.origins.install(this.server.httpAdapter.getInstance<FastifyInstance>());
    await super.onModuleInit();
  }

  protected override routes(): ForwardedUrl[] {
    return ROUTES.flatMap(([prefix]) => [prefix, `${prefix}/*`].map((url) => ({ method: METHODS, url })));
  }

  protected override settle(request: FastifyRequest, { statusCode }: FastifyReply): undefined | Promise<unknown> {
    return this.limits.settle(request, statusCode);
  }

  /** Refuses before a body is read: ambiguous paths, invalid tokens, callers beyond their limit, bodies beyond their budget. */
  protected override admit(request: FastifyRequest, reply: FastifyReply): void | Promise<void> {
    const path = pathOf(request);
    if (isAmbiguous(path))
      throw new PlatformError(
        'MALFORMED_REQUEST',
        'Invalid path: remove dot segments, empty segments, and unneeded percent-encoding',
      );
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
    principal?: Principal,
  ): void | Promise<void> {
    if (principal) {
      request.callContext.principal = principal;
      request.callContext.tenantId = principal.tenantId;
    }
    const most = principal ? routeClass.bodyBytes : routeClass.strangerBytes;
    const bytes = announcedBytes(request, most);
    const sender = bytes > 0 ? senderOf(request, routeClass, principal) : undefined;
    // A promise from here on: what throws after it was made and before it is returned leaves its refusal to nobody.
    const counted = this.limits.admit(request, reply, routeClass, path, principal);
    if (!sender) return counted;
    request.mostBodyBytes = bytes;
    if (counted) return counted.then(() => this.takeBudget(reply, sender, bytes, most));
    this.takeBudget(reply, sender, bytes, most);
  }

  private takeBudget(reply: FastifyReply, sender: Sender, bytes: number, most: number): void {
    if (bytes > most) throw new PlatformError('PAYLOAD_TOO_LARGE');
    // The one who left while they were looked at would never be told to leave again.
    if (reply.raw.destroyed) throw new PlatformError('MALFORMED_REQUEST', 'The request body ended early');
    const leave = this.bodies.take(sender, bytes);
    if (!leave) {
      throw new PlatformError('SERVICE_UNAVAILABLE', 'Too many request bodies in progress. Try again in a second', {
        retryAfterSeconds: 1,
      });
    }
    // Emitted once, also when the client goes away before the answer, for which Fastify runs no hook.
    reply.raw.once('close', leave);
  }

  /** Known from a token that was verified before, or a key that was exchanged: nearly always, and a promise costs more. */
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
}

const senderOf = ({ ip }: FastifyRequest, { sender }: RouteClass, principal?: Principal): Sender =>
  principal ? { kind: 'tenant', key: principal.tenantId } : { kind: sender, key: addressKey(ip) };
