import { randomBytes, randomUUID } from 'node:crypto';
import {
  type AccessTokenClaims,
  AUDIENCES,
  type EventEnvelope,
  type EventName,
  type ProvisionedHook,
  type RpcRequest,
  rpc,
} from '@crm/contracts';
import { newId } from '@crm/database';
import { NatsConnection, Rpc } from '@crm/messaging';
import {
  answerRpc,
  eventOf,
  publishEvents,
  startTestService,
  type TestAnswer,
  type TestService,
  testDatabase,
  testNats,
  testServiceConfig,
  testTokens,
  waitUntil,
} from '@crm/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from '@jest/globals';
import pg from 'pg';
import { AppModule } from '../src/app.module.js';
import type { AutomationsConfig } from '../src/config.js';
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

/** What the stand-in for custom-objects was asked to create, and by whom. */
export type Created = RpcRequest<typeof rpc.customObjects.createRecord> & {
  tenantId: string | undefined;
  token: string | undefined;
};

type RunConfig = AutomationsConfig['runs'];

export const BASE_URL = 'https://crm.example.com';

/** Shorter than in production, so that tests need not wait. */
const QUICK: RunConfig = {
  leaseSeconds: 30,
  concurrency: 4,
  pollMs: 50,
  perMinute: 100_000,
  queuedPerTenant: 10_000,
  maxClaims: 8,
};
/** The process executes no runs. */
export const IDLE: Partial<RunConfig> = { concurrency: 0, pollMs: 60_000 };

/** Actions of workflows. */
export const task = (title = 'x') => ({ type: 'create_task', title });
export const record = (object: string, values: object) => ({ type: 'create_record', object, values });
export const wait = (seconds: number) => ({ type: 'wait', seconds });

/** An event as custom-objects makes it. */
export const newEvent = (name: EventName, tenantId: string, data: object): EventEnvelope =>
  eventOf(name, tenantId, data as never);

/** Publishes an event as custom-objects does. @returns its id */
export async function emit(
  name: EventName,
  tenantId: string,
  data: object,
  { traceparent, actorkind = 'user', causeid }: Partial<EventEnvelope> = {},
): Promise<string> {
  const event = { ...newEvent(name, tenantId, data), traceparent, actorkind, causeid };
  await publishEvents(event);
  return event.id;
}

/** A promise that the test keeps open as long as it wants. */
export function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** A database, a broker and stand-ins for other services, on which the service can be started more than once. */
async function startWorld() {
  const database = await testDatabase('automation-hooks', migrations);
  const { url, passwords } = testNats();
  const tokens = testTokens();
  const admin = new pg.Pool({ connectionString: database.adminUrl, max: 2 });
  const encryptionKey = randomBytes(32).toString('base64');
  const minted: RpcRequest<typeof rpc.identity.mintInternalToken>[] = [];
  const created: Created[] = [];
  const updated: RpcRequest<typeof rpc.customObjects.updateRecord>[] = [];
  /** How the stand-in for custom-objects answers; that of a new test lets everything be created. */
  const customObjects = { create: (_request: Created): { id: string } | Promise<{ id: string }> => ({ id: newId() }) };
  const stops: (() => Promise<void>)[] = [];
  const answer: typeof answerRpc = async (contract, handler) => {
    const standIn = await answerRpc(contract, handler);
    stops.push(() => standIn.close());
    return standIn;
  };
  await answer(rpc.identity.mintInternalToken, async (request) => {
    minted.push(request);
    const { tenantId, userId, actor } = request;
    const rights = { roles: [actor ? `app:${actor.appKey}` : 'admin'], scopes: [...(actor?.scopes ?? [])] };
    const act = actor && { sub: actor.appKey, installation_id: actor.installationId };
    const claims = { tid: tenantId, sub: userId, sid: undefined, ...rights, act };
    const token = await tokens.sign({ aud: AUDIENCES.internal, ...claims });
    return { token, expiresIn: 60 };
  });
  await answer(rpc.identity.getTenant, ({ tenantId }) => {
    return { id: tenantId, name: 'Acme', plan: 'business' as const, timeZone: 'Europe/Berlin', country: 'DE' };
  });

  await answer(rpc.customObjects.createRecord, (request, { principal }) => {
    const seen = { ...request, tenantId: principal?.tenantId, token: principal?.token };
    created.push(seen);
    return customObjects.create(seen);
  });
  await answer(rpc.customObjects.updateRecord, (request) => {
    updated.push(request);
    return { id: request.id };
  });

  const configure = (
    runs: Partial<RunConfig> = {},
    changes: Partial<AutomationsConfig> & { callsPerTenSeconds?: number } = {},
  ): AutomationsConfig => {
    const { callsPerTenSeconds = 10_000, ...others } = changes;
    return {
      service: testServiceConfig('automation-hooks'),
      database: { ...database.config, genericPlans: true },
      limits: {},
      encryptionKey,
      hooks: { baseUrl: BASE_URL, callsPerTenSeconds },
      workflowsPerTenant: 200,
      runs: { ...QUICK, ...runs },
      egress: { allow: [] },
      ...others,
    };
  };
  const start = (...settings: Parameters<typeof configure>) => {
    const config = configure(...settings);
    return startTestService(config, AppModule.with(config), { keySource: tokens.keySource });
  };
  const caller = 'marketplace-certification';
  const connection = await NatsConnection.open({ url, user: caller, password: passwords[caller], service: caller });
  stops.push(() => connection.close());
  const marketplace = new Rpc(connection);

  return {
    tokens,
    /** The database without row-level security. */
    admin,
    adminUrl: database.adminUrl,
    /** Rows of a statement without row-level security. */
    sql: async <Row extends object = Record<string, unknown>>(sql: string, ...parameters: unknown[]) =>
      (await admin.query<Row>(sql, parameters)).rows,
    minted,
    created,
    updated,
    customObjects,
    answer,
    configure,
    start,
    marketplace,
    /** A token of an administrator, for calls between services. */
    internalToken: ({ tenantId, userId }: { tenantId: string; userId: string }, roles = ['admin']) =>
      tokens.sign({ aud: AUDIENCES.internal, tid: tenantId, sub: userId, sid: undefined, roles, scopes: [] }),
    async close() {
      for (const stop of stops.reverse()) await stop();
      await admin.end();
      await database.drop();
    },
  };
}

type World = Awaited<ReturnType<typeof startWorld>>;

export type { TestService as Service } from '@crm/testing';
export type Tenant = Awaited<ReturnType<typeof tenantOn>>;

/** A tenant with an administrator, on a running service. */
async function tenantOn(world: World, service: TestService, tenantId: string = newId(), userId: string = randomUUID()) {
  /** Calls with another role. */
  const as = async (role: string, scopes: string[] = [], claims: Partial<AccessTokenClaims> = {}) => {
    const token = await world.tokens.sign({ tid: tenantId, sub: userId, roles: [role], scopes, ...claims });
    return <Body>(method: string, path: string, body?: unknown): Promise<TestAnswer<Body>> =>
      service.request<Body>(method, `/api/crm/automations${path}`, { token, body });
  };
  const call = await as('admin');
  const create = async (workflow: object) => {
    const { status, body } = await call<{ id: string; hookUrl?: string }>('POST', '/workflows', workflow);
    if (status !== 201) throw new Error(`The workflow was refused: ${JSON.stringify(body)}`);
    return body;
  };
  const run = async (id: string): Promise<RunBody> => (await call<RunBody>('GET', `/runs/${id}`)).body;
  return {
    tenantId,
    userId,
    as,
    /** Calls as an administrator; paths begin below `/api/crm/automations`. */
    call,
    /** The same tenant on another running service. */
    on: (other: TestService) => tenantOn(world, other, tenantId, userId),
    /** Creates a workflow that upstream systems start, and returns the path of its hook. */
    async hooked(workflow: object = { actions: [task()] }): Promise<{ id: string; path: string }> {
      const { id, hookUrl } = await create({ name: 'Test', trigger: { type: 'webhook_received' }, ...workflow });
      return { id, path: new URL(hookUrl ?? '').pathname };
    },
    /** Creates a workflow that an event starts. */
    onEvent: (event: string, workflow: object = {}) =>
      create({ name: 'On event', trigger: { type: 'event', event }, actions: [task()], ...workflow }),
    /** Installs these automations of an app, as the marketplace does for an administrator. @returns their hooks */
    async provision(
      installationId: string,
      automations: object[],
      {
        roles,
        appKey = 'field-visits',
        sandbox,
        scopes = ['custom_objects', 'tasks', 'automations'],
      }: { roles?: string[]; appKey?: string; sandbox?: boolean; scopes?: string[] } = {},
    ): Promise<ProvisionedHook[]> {
      const request = {
        installationId,
        appKey,
        ...(sandbox !== undefined && { sandbox }),
        grantedScopes: [...scopes],
        objectNames: { site_visit: 'sbx_site_visit' },
        automations: automations as Record<string, unknown>[],
      };
      const token = await world.internalToken({ tenantId, userId }, roles);
      return (await world.marketplace.call(rpc.automations.provisionWorkflows, request, { token })).hooks;
    },
    /** Starts a workflow through its hook. @returns the id of the run */
    async start(path: string, body: object = {}): Promise<string> {
      const answer = await service.request<{ runId: string }>('POST', path, { body });
      expect(answer.status).toBe(202);
      return answer.body.runId;
    },
    /** Stores a run as a process leaves it that is killed, by default one of a workflow that does not exist. */
    async storeRun({
      id = newId(),
      workflowId = newId(),
      status = 'running',
      step = [] as string[],
      dueIn = '0',
      claim = null as string | null,
    } = {}) {
      const run = 'INSERT INTO run (tenant_id, id, workflow_id, workflow_version, input, status)';
      await world.sql(`${run} VALUES ($1, $2, $3, 1, '{}', $4)`, tenantId, id, workflowId, status);
      const steps = 'INSERT INTO run_step (tenant_id, run_id, position, key, type, status)';
      if (step.length > 0) await world.sql(`${steps} VALUES ($1, $2, 0, $3, $4, $5)`, tenantId, id, ...step);
      const queue = 'INSERT INTO run_queue (tenant_id, run_id, workflow_id, due_at, claim_id)';
      await world.sql(`${queue} VALUES ($1, $2, $3, now() + $4::interval, $5)`, tenantId, id, workflowId, dueIn, claim);
      return id;
    },
    run,
    runs: async (query = '') => (await call<{ data: RunBody[] }>('GET', `/runs?${query}`)).body.data,
    /** Waits until the run has ended. */
    async ended(id: string): Promise<RunBody> {
      const isOver = async () => !['queued', 'running'].includes((await run(id)).status);
      await waitUntil(isOver, { timeoutMs: 15_000, describe: `the run ${id} to end` });
      return run(id);
    },
    /** Starts a new workflow with these actions, and waits until its run has ended. */
    async runOf(actions: object[], payload: object = {}): Promise<RunBody> {
      return this.ended(await this.start((await this.hooked({ actions })).path, payload));
    },
    /** What runs of the tenant asked to create. */
    created: () => world.created.filter((one) => one.tenantId === tenantId),
    /** The title or last name of each. */
    createdNames(): string[] {
      return this.created().map(({ values }) => (values.title ?? values.lastName) as string);
    },
  };
}

type Settings = Parameters<World['start']>;

/** Starts the service for the tests of a file, with a new tenant for each test. */
export function useAutomations(settings: Settings | ((world: World) => Settings | Promise<Settings>) = []) {
  const world = {} as World;
  const service = {} as TestService;
  const tenant = {} as Tenant;
  const newTenant = () => tenantOn(world, service);
  const others: TestService[] = [];
  /** Another process of the service, until the test ends. */
  const startAnother = async (...of: Settings) => {
    const other = await world.start(...of);
    others.push(other);
    return other;
  };
  beforeAll(async () => {
    Object.assign(world, await startWorld());
    const chosen = typeof settings === 'function' ? await settings(world) : settings;
    Object.assign(service, await world.start(...chosen));
  });
  beforeEach(async () => {
    world.customObjects.create = () => ({ id: newId() });
    Object.assign(tenant, await newTenant());
  });
  afterEach(async () => {
    for (const other of others.splice(0)) await other.close();
  });
  afterAll(async () => {
    await service.close?.();
    await world.close?.();
  });
  return { world, service, tenant, newTenant, startAnother };
}
