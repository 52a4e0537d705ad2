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
import { Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ROUTES, type Route, routeFor } from '../routing/routing.js';
import { ApiKeyService } from './api-key.service.js';
import { BodyBudget, type Sender } from './body-budget.js';
import { CrossOriginService } from './cross-origin.service.js';
import { RateLimitService } from './rate-limit.service.js';

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

  /** Refuses before a body is read: ambiguous paths, invalid tokens, callers beyond their limit, bodies without room. */
  protected override admit(request: FastifyRequest, reply: FastifyReply): void | Promise<void> {
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
