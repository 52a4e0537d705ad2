import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { type Audience, CONSUMERS, PlatformError, type RpcRequest, rpc } from '@crm/contracts';
import { newId } from '@crm/database';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  Controller,
  type DynamicModule,
  type INestMicroservice,
  Injectable,
  type NestInterceptor,
  type Type,
} from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR, ModulesContainer } from '@nestjs/core';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { firstValueFrom, type Observable } from 'rxjs';
import { OriginalErrorFilter } from '../src/events/event-handling.js';
import { EventHandler, MessagingModule, type NatsConnection, Rpc, RpcContext, RpcHandler } from '../src/index.js';
import { checkHandlers } from '../src/nats-strategy.js';
import { type Broker, createApp, guards, PASSWORD, startBroker } from './fixture.js';

const { getTenant, revokePreviousEmbedSecret, issueEmbedCredentials, getEmbedOrigins } = rpc.identity;
const tenantView = (id: string) => ({ id, name: 'Acme', plan: 'business' as const, timeZone: 'UTC', country: null });

const member = { kind: 'user', roles: ['member'], scopes: [], tenantId: newId(), token: 'member' };
const admin = { ...member, roles: ['admin'], token: 'admin' };
const PRINCIPALS = [member, admin] as unknown as Principal[];

/** What the handlers saw. */
let seen: unknown[] = [];

@Controller()
class IdentityRpc {
  @RpcHandler(getTenant)
  async get(request: RpcRequest<typeof getTenant>) {
    seen.push(request);
    if (request.tenantId === NOT_THERE) throw new PlatformError('NOT_FOUND', 'No such tenant');
    if (request.tenantId === BROKEN) throw new Error('password=hunter2');
    return tenantView(request.tenantId);
  }

  @RpcHandler(revokePreviousEmbedSecret)
  @Access({ right: 'administer' })
  async revoke(
    @Payload() _request: RpcRequest<typeof revokePreviousEmbedSecret>,
    @CurrentPrincipal() principal: Principal,
    @Ctx() context: RpcContext,
  ) {
    seen.push({ principal, context });
    return { revoked: true };
  }

  @RpcHandler(issueEmbedCredentials)
  @Access({ right: 'administer' })
  async issue(@Payload() _request: RpcRequest<typeof issueEmbedCredentials>, @CurrentPrincipal() principal: Principal) {
    seen.push(principal);
    return { clientId: 'c' };
  }
}

const NOT_THERE = newId();
const BROKEN = newId();

/** Makes Observables of what handlers return, as every interceptor does. */
@Injectable()
class PassingInterceptor implements NestInterceptor {
  intercept(_context: unknown, next: { handle(): Observable<unknown> }): Observable<unknown> {
    return next.handle();
  }
}

class AppModule {}

describe('a handler of calls in a Nest application', () => {
  let broker: Broker;
  let app: INestMicroservice;
  let customObjects: NatsConnection;
  let caller: Rpc;
  let marketplace: Rpc;
  let verified: { token: string; audiences: readonly Audience[] }[] = [];
  const verifier = {
    recallFrom: () => undefined,
    verify: async (token: string, audiences: readonly Audience[]) => {
      verified.push({ token, audiences });
      const principal = PRINCIPALS.find((candidate) => candidate.token === token);
      if (!principal) throw new PlatformError('TOKEN_EXPIRED');
      return principal;
    },
  };

  const moduleOf = (parts: Partial<DynamicModule>): DynamicModule => ({
    module: AppModule,
    ...parts,
    imports: [
      MessagingModule.forService({
        config: { url: broker.url, user: 'identity', password: PASSWORD, service: 'identity' },
      }),
    ],
    providers: [
      ...guards(verifier),
      { provide: APP_INTERCEPTOR, useClass: PassingInterceptor },
      { provide: APP_FILTER, useClass: OriginalErrorFilter },
      ...(parts.providers ?? []),
    ],
  });
  beforeAll(async () => {
    broker = await startBroker();
    app = await createApp(moduleOf({ controllers: [IdentityRpc] }));
    await app.listen();
    customObjects = await broker.service('custom-objects');
    caller = new Rpc(customObjects);
    marketplace = new Rpc(await broker.service('marketplace-certification'));
  });
  beforeEach(() => {
    seen = [];
    verified = [];
  });
  afterAll(async () => {
    await app.close();
    await broker.stop();
  });

  it('replies with its return value', async () => {
    const tenantId = newId();
    await expect(caller.call(getTenant, { tenantId })).resolves.toEqual(tenantView(tenantId));
    expect(verified).toEqual([]);
  });

  it('is not called with a request that does not match the contract', async () => {
    await expect(caller.call(getTenant, { tenantId: 'not a uuid' })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      extra: { errors: [{ pointer: '/tenantId' }] },
    });
    expect(seen).toEqual([]);
  });

  it('passes its PlatformError to the caller but hides the message of a defect', async () => {
    await expect(caller.call(getTenant, { tenantId: NOT_THERE })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: 'No such tenant',
    });
    const error = (await caller.call(getTenant, { tenantId: BROKEN }).catch((caught: unknown) => caught)) as Error;
    expect(error).toMatchObject({ code: 'INTERNAL_ERROR' });
    expect(error.message).not.toContain('hunter2');
  });

  it('gets the principal of the token in the call, verified for the audience of its callers', async () => {
    const request = { appKey: 'fleet' };
    await marketplace.call(revokePreviousEmbedSecret, request, { token: 'admin' });
    await marketplace.call(revokePreviousEmbedSecret, request, { token: admin.token, requestId: 'r' });
    expect(verified).toEqual([
      { token: 'admin', audiences: ['platform-api', 'platform-internal'] },
      { token: 'admin', audiences: ['platform-api', 'platform-internal'] },
    ]);
    expect(seen[1]).toMatchObject({
      principal: { ...admin, requestId: 'r', traceparent: expect.stringMatching(/^00-/) },
      context: {
        principal: admin,
        caller: 'marketplace-certification',
        callContext: { requestId: 'r', principal: admin },
        contract: revokePreviousEmbedSecret,
      },
    });
    expect((seen[1] as { context: unknown }).context).toBeInstanceOf(RpcContext);
    await expect(marketplace.call(revokePreviousEmbedSecret, request, { token: 'old' })).rejects.toMatchObject({
      code: 'TOKEN_EXPIRED',
    });
    await expect(marketplace.call(revokePreviousEmbedSecret, request)).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
    });
    expect(seen).toHaveLength(2);
  });

  it('is called only for principals that its access rule allows', async () => {
    const marketplace = new Rpc(await broker.service('marketplace-certification'));
    const request = {
      appKey: 'a',
      fingerprint: 'a'.repeat(64),
      allowedOrigins: [],
      scopes: [],
      linkUsersBy: 'email' as const,
    };
    await expect(marketplace.call(issueEmbedCredentials, request, { token: 'member' })).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
    expect(seen).toEqual([]);
    await marketplace.call(issueEmbedCredentials, request, { token: 'admin' });
    expect(seen).toMatchObject([admin]);
    expect(verified.map(({ audiences }) => audiences)).toEqual(
      Array.from({ length: 2 }, () => ['platform-api', 'platform-internal']),
    );
  });

  it('can be called with the methods of any ClientProxy', async () => {
    const tenantId = newId();
    for (const pattern of [getTenant, getTenant.subject]) {
      await expect(firstValueFrom(caller.send(pattern, { tenantId }))).resolves.toEqual(tenantView(tenantId));
    }
    await expect(firstValueFrom(caller.send(getTenant, { tenantId: NOT_THERE }))).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(firstValueFrom(caller.send('rpc.no.such.subject', {}))).rejects.toThrow('No contract has the subject');
    await expect(firstValueFrom(caller.emit('lead.created', {}))).rejects.toThrow('outbox');
  });

  describe('keeps the service from starting', () => {
    const start = async (...controllers: Type[]) => {
      const refused = await createApp(moduleOf({ controllers }));
      try {
        await refused.listen();
      } finally {
        await refused.close();
      }
    };

    it('when it has a pattern without a contract', async () => {
      @Controller()
      class Plain {
        @MessagePattern('rpc.identity.tenants.get')
        async get() {
          return null;
        }
      }
      await expect(start(Plain)).rejects.toThrow('must be marked with @RpcHandler');
    });
  });

  it('is checked for mistakes that Nest ignores silently', async () => {
    @Injectable()
    class Provider {
      @RpcHandler(getEmbedOrigins)
      async origins() {
        return { allowedOrigins: [] };
      }

      @EventHandler(CONSUMERS['webhook-dispatcher'], 'all')
      async onEvent() {
        return undefined;
      }
    }
    @Controller()
    class Careless {
      @RpcHandler(revokePreviousEmbedSecret)
      async revoke(_request: RpcRequest<typeof revokePreviousEmbedSecret>) {
        return { revoked: true };
      }

      @RpcHandler(getTenant)
      @Access({ right: 'read' })
      async get(request: RpcRequest<typeof getTenant>) {
        return tenantView(request.tenantId);
      }
    }
    const careless = await createApp(moduleOf({ controllers: [Careless], providers: [Provider] }));
    const check = () => checkHandlers(careless.get(ModulesContainer, { strict: false }));
    expect(check).toThrow('Provider.origins is in a provider');
    expect(check).toThrow('Provider.onEvent is in a provider');
    expect(check).toThrow(
      "Careless.revoke has no @Access, though rpc.identity.embedClients.revokePrevious is called with a user's",
    );
    expect(check).toThrow('Careless.get has @Access, though rpc.identity.tenants.get is called without a token');
    await careless.close();
    expect(() => checkHandlers(app.get(ModulesContainer, { strict: false }))).not.toThrow();
  });

  it('is rejected when its payload would be empty', () => {
    expect(() => {
      class Forgetful {
        @RpcHandler(revokePreviousEmbedSecret)
        async revoke(_: RpcRequest<typeof revokePreviousEmbedSecret>, @CurrentPrincipal() _principal: Principal) {
          return { revoked: true };
        }
      }
      return Forgetful;
    }).toThrow('The first parameter of Forgetful.revoke needs @Payload()');
  });
});
