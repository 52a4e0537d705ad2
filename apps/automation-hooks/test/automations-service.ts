import { randomBytes, randomUUID } from 'node:crypto';
import {
  type AccessTokenClaims,
  AUDIENCES,
  EVENTS,
  type EventEnvelope,
  type EventName,
  eventSubject,
  type ProvisionedHook,
  type RpcRequest,
  rpc,
  TENANT_HEADER,
} from '@crm/contracts';
import { newId } from '@crm/database';
import { NatsConnection, Rpc } from '@crm/messaging';
import { serviceConfig } from '@crm/runtime';
import {
  answerRpc,
  startTestService,
  type TestAnswer,
  testDatabase,
  testNats,
  testTokens,
  waitUntil,
} from '@crm/testing';
import { headers as natsHeaders } from '@nats-io/nats-core';
import pg from 'pg';
import { AppModule } from '../src/app.module.js';
import type { AutomationsConfig } from '../src/config.js';

type RunConfig = AutomationsConfig['runs'];

import { migrations } from '../src/migrations/index.js';

export interface RunBody {
  id: string;
  workflowId: string;
  status: string;
  input?: { [key: string]: unknown };
  steps: { key: string; type: string; status: string; error?: { code: string; detail: string } }[];
  error?: { code: string; detail: string };
}

export interface Problem {
  code: string;
  errors?: { pointer: string; code: string; detail: string }[];
}

export const BASE_URL = 'https://crm.example.com';

/** Shorter than in production, so that tests need not wait. */
const QUICK: RunConfig = { leaseSeconds: 30, concurrency: 4, pollMs: 50, perMinute: 100_000, maxClaims: 8 };

/** A database, a broker and stand-ins for other services, on which the service can be started more than once. */
export async function startWorld(egress: AutomationsConfig['egress'] = { allow: [] }) {
  const database = await testDatabase('automation-hooks', migrations);
  const nats = testNats();
  const tokens = testTokens();
  const admin = new pg.Pool({ connectionString: database.adminUrl, max: 2 });
  const encryptionKey = randomBytes(32).toString('base64');
  const minted: RpcRequest<typeof rpc.identity.mintInternalToken>[] = [];
  const stops: (() => Promise<void>)[] = [];
  const answer: typeof answerRpc = async (contract, handler) => {
    const standIn = await answerRpc(contract, handler);
    stops.push(() => standIn.close());
    return standIn;
  };
  await answer(rpc.identity.mintInternalToken, async (request) => {
    minted.push(request);
    const { tenantId, userId, actor } = request;
    const app = actor && { sub: actor.appKey, installation_id: actor.installationId };
    const token = await tokens.sign({
      aud: AUDIENCES.internal,
      tid: tenantId,
      sub: userId,
      sid: undefined,
      roles: [actor ? `app:${actor.appKey}` : 'admin'],
      scopes: [...(actor?.scopes ?? [])],
      act: app,
    });
    return { token, expiresIn: 60 };
  });
  await answer(rpc.identity.getTenant, ({ tenantId }) => {
    return { id: tenantId, name: 'Acme', plan: 'business' as const, timeZone: 'Europe/Berlin', country: 'DE' };
  });

  const configure = (
    runs: Partial<RunConfig> = {},
    callsPerTenSeconds = 10_000,
    workflowsPerTenant = 200,
    others: Partial<AutomationsConfig> = {},
  ): AutomationsConfig => {
    const service = serviceConfig('automation-hooks', {
      PROFILE: 'test',
      PORT: '0',
      LOG_LEVEL: 'silent',
      NATS_URL: nats.url,
      NATS_PASSWORD: nats.passwords['automation-hooks'],
    });
    return {
      service,
      database: { ...database.config, genericPlans: true },
      limits: {},
      encryptionKey,
      hooks: { baseUrl: BASE_URL, callsPerTenSeconds },
      workflowsPerTenant,
      runs: { ...QUICK, ...runs },
      egress,
      ...others,
    };
  };
  const start = (...settings: Parameters<typeof configure>) => {
    const config = configure(...settings);
    return startTestService(config, AppModule.with(config), { keySource: tokens.keySource });
  };

  let marketplace: Rpc | undefined;
  const connect = async (service: 'custom-objects' | 'marketplace-certification') => {
    const connection = await NatsConnection.open({
      url: nats.url,
      user: service,
      password: nats.passwords[service],
      service,
    });
    stops.push(() => connection.close());
    return connection;
  };

  return {
    tokens,
    /** The database without row-level security. */
    admin,
    nats,
    minted,
    answer,
    configure,
    start,
    async marketplace() {
      marketplace ??= new Rpc(await connect('marketplace-certification'));
      return marketplace;
    },
    /** Of an administrator, for calls between services. */
    internalToken: ({ tenantId, userId }: Pick<Tenant, 'tenantId' | 'userId'>, roles = ['admin']) =>
      tokens.sign({ aud: AUDIENCES.internal, tid: tenantId, sub: userId, sid: undefined, roles, scopes: [] }),
    /** Publishes an event as custom-objects would. */
    async eventSource() {
      const { jetstream } = await connect('custom-objects');
      return async (
        name: EventName,
        tenantId: string,
        data: object,
        traceparent?: string,
        actorkind = 'user',
        causeid?: string,
      ): Promise<string> => {
        const envelope = { ...eventOf(name, tenantId, data), traceparent, actorkind, causeid };
        const head = natsHeaders();
        head.set(TENANT_HEADER, tenantId);
        await jetstream.publish(eventSubject(name, tenantId), JSON.stringify(envelope), {
          msgID: envelope.id,
          headers: head,
        });
        return envelope.id;
      };
    },
    async close() {
      for (const stop of stops.reverse()) await stop();
      await admin.end();
      await database.drop();
    },
  };
}

/** An event as custom-objects publishes it. */
export const eventOf = (name: EventName, tenantId: string, data: object) =>
  ({
    specversion: '1.0',
    id: newId(),
    source: 'urn:crm:service:custom-objects',
    type: name,
    subject: newId(),
    time: new Date().toISOString(),
    datacontenttype: 'application/json',
    dataschema: EVENTS[name].dataschema,
    tenantid: tenantId,
    data,
  }) as EventEnvelope;

export type World = Awaited<ReturnType<typeof startWorld>>;
export type Service = Awaited<ReturnType<World['start']>>;

type Call = <Body>(method: string, path: string, body?: unknown) => Promise<TestAnswer<Body>>;

export interface Tenant {
  tenantId: string;
  userId: string;
  /** Calls with another role. */
  as(role: string, scopes?: string[], claims?: Partial<AccessTokenClaims>): Promise<Call>;
  /** Calls as an administrator; paths begin below `/api/crm/automations`. */
  call: Call;
  /** The same tenant on another running service. */
  on(other: Service): Promise<Tenant>;
  /** Creates a workflow that upstream systems start, and returns the path of its hook. */
  hooked(workflow: object): Promise<{ id: string; path: string }>;
  run(id: string): Promise<RunBody>;
  /** Waits until the run has ended. */
  ended(id: string): Promise<RunBody>;
  /** Installs these automations of an app, as the marketplace does for an administrator. @returns their hooks */
  provision(
    installationId: string,
    automations: object[],
    options?: { roles?: string[]; scopes?: readonly string[] },
  ): Promise<ProvisionedHook[]>;
}

/** A tenant with an administrator, on a running service. */
export async function tenantOn(
  world: World,
  service: Service,
  tenantId: string = newId(),
  userId: string = randomUUID(),
): Promise<Tenant> {
  const as = async (role: string, scopes: string[] = [], claims: Partial<AccessTokenClaims> = {}) => {
    const token = await world.tokens.sign({ tid: tenantId, sub: userId, roles: [role], scopes, ...claims });
    return <Body>(method: string, path: string, body?: unknown): Promise<TestAnswer<Body>> =>
      service.request<Body>(method, `/api/crm/automations${path}`, { token, body });
  };
  const call = await as('admin');
  const tenant: Tenant = {
    tenantId,
    userId,
    as,
    call,
    on: (other: Service) => tenantOn(world, other, tenantId, userId),
    async hooked(workflow: object): Promise<{ id: string; path: string }> {
      const { status, body } = await call<{ id: string; hookUrl: string }>('POST', '/workflows', {
        name: 'Test',
        trigger: { type: 'webhook_received' },
        ...workflow,
      });
      if (status !== 201) throw new Error(`The workflow was refused: ${JSON.stringify(body)}`);
      return { id: body.id, path: new URL(body.hookUrl).pathname };
    },
    async provision(installationId, automations, { roles, scopes = ['custom_objects', 'tasks', 'automations'] } = {}) {
      const request = {
        installationId,
        appKey: 'field-visits',
        grantedScopes: [...scopes],
        objectNames: { site_visit: 'sbx_site_visit' },
        automations: automations as Record<string, unknown>[],
      };
      const token = await world.internalToken(tenant, roles);
      return (await (await world.marketplace()).call(rpc.automations.provisionWorkflows, request, { token })).hooks;
    },
    run: async (id: string): Promise<RunBody> => (await call<RunBody>('GET', `/runs/${id}`)).body,
    async ended(id: string): Promise<RunBody> {
      let run = await tenant.run(id);
      await waitUntil(
        async () => {
          run = await tenant.run(id);
          return !['queued', 'running'].includes(run.status);
        },
        { timeoutMs: 15_000, describe: `the run ${id} to end` },
      );
      return run;
    },
  };
  return tenant;
}
