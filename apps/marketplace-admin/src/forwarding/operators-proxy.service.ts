import type { Principal } from '@crm/access';
import { bearerToken, TokenVerifier } from '@crm/access';
import { AUDIENCES, OPERATORS_PREFIX, PlatformError } from '@crm/contracts';
import { CREDENTIALS_BODY_LIMIT, DEFAULT_BODY_LIMIT, withoutRoute } from '@crm/http';
import { addressKey, isLoopback, Limiter, LimiterStore } from '@crm/limits';
import {
  announcedBytes,
  EdgeProxy,
  type ForwardedUrl,
  PROXY_CONFIG,
  type ProxyConfig,
  UpstreamConnector,
} from '@crm/runtime/proxy';
import { Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type OperatorsRoute, ROUTES } from './routes.js';

/** Calls that exchange credentials for a token, from one address: a team behind one address shares them. */
export const CREDENTIAL_CALLS_PER_MINUTE = 60;

const AUDIENCE = [AUDIENCES.admin];

/**
 * Forwards what operators call to the services that serve them. The token is looked at before a body is read; routes without one
 * have short bodies and a limit by address. Outside production loopback is free of that: demos and tests sign in all the time, and
 * identity still counts failures.
 */
@Injectable()
export class OperatorsProxy extends EdgeProxy {
  private readonly credentials: Limiter;
  private readonly sparesLoopback: boolean;

  constructor(
    private readonly server: HttpAdapterHost,
    private readonly verifier: TokenVerifier,
    store: LimiterStore,
    connector: UpstreamConnector,
    @Inject(PROXY_CONFIG) config: ProxyConfig,
  ) {
    super(server, connector, config, OPERATORS_PREFIX);
    const limit = { name: 'credentials', points: CREDENTIAL_CALLS_PER_MINUTE, windowSeconds: 60 };
    this.credentials = new Limiter(store, limit, 'Too many sign-ins from this address. Try again later');
    this.sparesLoopback = config.service.profile !== 'production';
  }

  override async onModuleInit(): Promise<void> {
    // Guards come after the body was read, and so does the answer to a path that does not exist.
    this.server.httpAdapter.getInstance<FastifyInstance>().addHook('onRequest', (request, reply, done) => {
      const isKnown = request.routeOptions.url !== undefined;
      if (isKnown || announcedBytes(request, Number.POSITIVE_INFINITY) === 0) done();
      else done(refused(request, reply, withoutRoute(request)));
    });
    await super.onModuleInit();
  }

  protected override routes(): ForwardedUrl[] {
    return ROUTES.map((forward) => ({ method: forward.method, url: forward.path, config: { forward } }));
  }

  protected override async admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { forward } = request.routeOptions.config as unknown as { forward: OperatorsRoute };
    try {
      if (forward.public) await this.countCredentials(request.ip);
      else request.callContext.principal = await this.verify(request.headers.authorization);
      const most = forward.public ? CREDENTIALS_BODY_LIMIT : DEFAULT_BODY_LIMIT;
      request.mostBodyBytes = announcedBytes(request, most);
      if (request.mostBodyBytes > most) throw new PlatformError('PAYLOAD_TOO_LARGE');
    } catch (refusal) {
      throw refused(request, reply, refusal as Error);
    }
    request.forwardRoute = { upstream: forward.upstream, routeClass: {} };
  }

  private async countCredentials(address: string): Promise<void> {
    if (!(this.sparesLoopback && isLoopback(address))) await this.credentials.consume(addressKey(address));
  }

  /** @throws PlatformError UNAUTHENTICATED, TOKEN_EXPIRED, TOKEN_REVOKED; SERVICE_UNAVAILABLE while keys or cut-offs are missing */
  private async verify(header: string | undefined): Promise<Principal> {
    const token = bearerToken(header);
    if (token === undefined) throw new PlatformError('UNAUTHENTICATED');
    return this.verifier.recallFrom(header, AUDIENCE) ?? this.verifier.verify(token, AUDIENCE);
  }
}

/** The server would otherwise read the rest of a long body, to get to the next request of the connection. */
function refused<Refusal extends Error>(request: FastifyRequest, reply: FastifyReply, refusal: Refusal): Refusal {
  const bytes = announcedBytes(request, Number.POSITIVE_INFINITY);
  if (bytes > CREDENTIALS_BODY_LIMIT) reply.header('connection', 'close');
  return refusal;
}
