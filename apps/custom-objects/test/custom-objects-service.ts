import { randomUUID } from 'node:crypto';
import { rpc, SCOPE_NAMES } from '@crm/contracts';
import { Database } from '@crm/database';
import {
  answerRpc,
  startTestService,
  type TestAnswer,
  type TestService,
  testDatabase,
  testServiceConfig,
  testTokens,
} from '@crm/testing';
import { AppModule } from '../src/app.module.js';
import { migrations } from '../src/migrations/index.js';
import { ObjectService } from '../src/object/object.service.js';
import type { DeclaredObject } from '../src/object/object-definition.js';

export const RECORDS = '/api/crm/custom/site_visit/records';

/** The object that most of the tests work with. */
export const SITE_VISIT: DeclaredObject = {
  apiName: 'site_visit',
  label: 'Site visit',
  pluralLabel: 'Site visits',
  nameField: 'title',
  fields: [
    { apiName: 'title', label: 'Title', type: 'text', required: true },
    { apiName: 'hours', type: 'number', validationRules: [{ type: 'min', value: 0 }] },
    { apiName: 'rate', type: 'currency', readRoles: ['admin'], writeRoles: ['admin'] },
    { apiName: 'remark', type: 'text', readRoles: ['admin'] },
    { apiName: 'total', type: 'formula', expression: 'hours * rate' },
    { apiName: 'doubled', type: 'formula', expression: 'hours * 2' },
    { apiName: 'summary', type: 'formula', expression: 'CONCAT(title, " (", tags, ")")' },
    { apiName: 'visit_day', type: 'formula', expression: 'IF(hours >= 0, visited_on)' },
    { apiName: 'is_late', type: 'formula', expression: 'visited_on < TODAY()' },
    { apiName: 'code', type: 'text', is_unique: true },
    { apiName: 'stage', type: 'picklist', options: ['planned', 'done'], default: 'planned' },
    { apiName: 'tags', type: 'multi_select', options: ['a', 'b', 'c'] },
    { apiName: 'parent', type: 'reference', referenceTarget: 'custom:site_visit' },
    { apiName: 'lead', type: 'reference', referenceTarget: 'lead' },
    { apiName: 'visited_on', type: 'date' },
  ],
};

type Call = <Body = Json>(
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<TestAnswer<Body>>;

export interface Tenant {
  readonly id: string;
  /** Calls as a member. */
  readonly call: Call;
  /** Calls as a user with this role. */
  as(role: string, scopes?: string[]): Promise<Call>;
  readonly admin: string;
  readonly member: string;
  readonly viewer: string;
  /** Signs a token of this tenant. */
  sign(claims: { roles: string[]; scopes?: string[] }): Promise<string>;
}

/** Any body that the service answers with. */
export type Json = Record<string, unknown> & {
  id: string;
  version: number;
  createdAt: string;
  updatedAt: string;
  code: string;
  detail: string;
  total: number;
  errors?: { pointer: string; code: string; detail: string }[];
  data: Json[];
  nextCursor: string | null;
};

export interface StoredEvent {
  readonly name: string;
  readonly subject: string;
  readonly version: number;
  readonly traceparent: string;
  readonly appkeys: string;
  readonly data: { record: Json; changed?: string[]; previous?: Record<string, unknown> };
}

export interface CustomObjectsService {
  readonly service: TestService;
  call(
    method: string,
    path: string,
    token: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<TestAnswer<Json>>;
  /** Creates a record, which has to succeed. @returns the record */
  create(path: string, token: string, body: object): Promise<Json>;
  /** Signs the token of an app that is installed in a tenant. */
  appToken(tenantId: string, appKey: string, scopes: readonly string[]): Promise<string>;
  /** Events of a tenant in the order in which they were appended. */
  events(tenantId: string): Promise<StoredEvent[]>;
  /** Changes a tenant's definitions as another process does it: with a new revision in the same transaction. */
  redefine(tenantId: string, change: string): Promise<void>;
  /** The database without row-level security. */
  readonly adminUrl: string;
  readonly objects: ObjectService;
  /** Keys of apps that the marketplace does not know; it knows all others. */
  readonly unknownApps: Set<string>;
  tenant(plan?: 'business' | 'enterprise', objects?: readonly DeclaredObject[]): Promise<Tenant>;
  close(): Promise<void>;
}

/** The service with its own database; the calls that it makes to identity and to the marketplace are answered here. */
export async function startCustomObjects(): Promise<CustomObjectsService> {
  const database = await testDatabase('custom-objects', migrations);
  const tokens = testTokens();
  const plans = new Map<string, 'business' | 'enterprise'>();
  const identity = await answerRpc(rpc.identity.getTenant, ({ tenantId }) => ({
    id: tenantId,
    name: 'Tenant',
    plan: plans.get(tenantId) ?? 'business',
    timeZone: 'Europe/Berlin',
    country: 'DE',
  }));
  const unknownApps = new Set<string>();
  const marketplace = await answerRpc(rpc.marketplace.isAppKnown, ({ appKey }) => ({
    known: !unknownApps.has(appKey),
  }));
  const config = {
    service: testServiceConfig('custom-objects'),
    database: { ...database.config, genericPlans: true },
  };
  const service = await startTestService(config, AppModule.with(config), { keySource: tokens.keySource });
  const objects = service.get(ObjectService);
  const call: CustomObjectsService['call'] = (method, path, token, body, headers) =>
    service.request<Json>(method, path, { token, ...(body !== undefined && { body }), ...(headers && { headers }) });
  return {
    service,
    call,
    async create(path, token, body) {
      const answer = await call('POST', path, token, body);
      if (answer.status !== 201) throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
      return answer.body;
    },
    appToken(tenantId, appKey, scopes) {
      const act = { sub: appKey, installation_id: randomUUID() };
      const claims = { tid: tenantId, sub: act.installation_id, sid: undefined, roles: [`app:${appKey}`], scopes, act };
      return tokens.sign(claims as never);
    },
    events: (tenantId) =>
      service.get(Database).crossTenant((tx) =>
        tx.query<StoredEvent>(
          `SELECT name, envelope->>'subject' AS subject, (envelope->>'recordversion')::int AS version,
                  envelope->>'traceparent' AS traceparent, envelope->>'appkeys' AS appkeys, envelope->'data' AS data
             FROM outbox WHERE tenant_id = $1 ORDER BY seq`,
          [tenantId],
        ),
      ),
    redefine: (tenantId, change) =>
      service.get(Database).transaction(tenantId, async (tx) => {
        await tx.query(`UPDATE custom_field SET definition = ${change}`);
        await tx.query('UPDATE custom_object SET revision = revision + 1');
      }),
    adminUrl: database.adminUrl,
    objects,
    unknownApps,
    async tenant(plan = 'business', declared = [SITE_VISIT]) {
      const id = randomUUID();
      plans.set(id, plan);
      if (declared.length > 0) {
        const request = { installationId: randomUUID(), appKey: 'acme-visits', sandbox: false, objects: declared };
        await objects.provision(id, request);
      }
      const sign: Tenant['sign'] = ({ roles, scopes = [...SCOPE_NAMES] }) =>
        tokens.sign({ tid: id, sub: randomUUID(), roles, scopes });
      const [admin, member, viewer] = await Promise.all(
        ['admin', 'member', 'viewer'].map((role) => sign({ roles: [role] })),
      );
      const callBy = (token: string): Call => {
        return <Body>(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>) =>
          service.request<Body>(method, path, { token, body, ...(headers && { headers }) });
      };
      const userId = randomUUID();
      return {
        ...{ id, admin: admin as string, member: member as string, viewer: viewer as string, sign },
        call: callBy(member as string),
        as: async (role, scopes = []) => callBy(await tokens.sign({ tid: id, sub: userId, roles: [role], scopes })),
      };
    },
    async close() {
      await service.close();
      await identity.close();
      await marketplace.close();
      await database.drop();
    },
  };
}
