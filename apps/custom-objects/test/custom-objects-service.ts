import { randomUUID } from 'node:crypto';
import { type Plan, rpc, SCOPE_NAMES, type StorageLimits } from '@crm/contracts';
import { Database, type DatabaseConfig } from '@crm/database';
import type { FieldDefinition } from '@crm/fields';
import {
  answerRpc,
  startTestService,
  type TestAnswer,
  type TestService,
  testDatabase,
  testServiceConfig,
  testTokens,
} from '@crm/testing';
import { afterAll, beforeAll } from '@jest/globals';
import pg from 'pg';
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

type Details = Partial<FieldDefinition>;
export const text = (apiName: string, more: Details = {}): FieldDefinition => ({ apiName, type: 'text', ...more });
export const reference = (apiName: string, referenceTarget: string, more: Details = {}): FieldDefinition =>
  text(apiName, { type: 'reference', referenceTarget, ...more });

export interface Tenant {
  readonly id: string;
  /** Tokens of users with these roles. */
  readonly admin: string;
  readonly member: string;
  readonly viewer: string;
  /** Calls as a member. */
  call(method: string, path: string, body?: unknown, headers?: Sent): Promise<TestAnswer<Json>>;
  /** Signs a token of this tenant. */
  sign(claims: { roles: string[]; scopes?: string[] }): Promise<string>;
}

/** Headers of a request. */
type Sent = Readonly<Record<string, string>>;

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
  readonly installationid: string;
  readonly data: { record: Json; changed?: string[]; previous?: Record<string, unknown> };
}

const tokens = testTokens();

/** The service with its own database; the calls that it makes to identity and to the marketplace are answered here. */
export class CustomObjectsService {
  /** Keys of apps that the marketplace does not know; it knows all others. */
  readonly unknownApps = new Set<string>();
  /** The users of each tenant whom identity knows. */
  readonly users = new Map<string, Set<string>>();
  /** What identity was asked of users. */
  readonly askedUsers: string[] = [];
  /** The limits of tenants that may not store as much as they like. */
  readonly limits = new Map<string, StorageLimits>();
  private readonly plans = new Map<string, Plan>();
  /** The installations of apps, by tenant and key. */
  private readonly installed = new Map<string, string>();
  private readonly ends: (() => Promise<unknown>)[] = [];
  /** A connection to the database that no row-level security binds. */
  admin: pg.Client;
  adminUrl: string;
  service: TestService;

  /** @param settings of its database */
  static async start(settings: Partial<DatabaseConfig>): Promise<CustomObjectsService> {
    const started = new CustomObjectsService();
    const database = await testDatabase('custom-objects', migrations);
    started.adminUrl = database.adminUrl;
    started.admin = new pg.Client({ connectionString: database.adminUrl });
    await started.admin.connect();
    const identity = await answerRpc(rpc.identity.getTenant, ({ tenantId }) => ({
      id: tenantId,
      name: 'Tenant',
      plan: started.plans.get(tenantId) ?? 'business',
      timeZone: 'Europe/Berlin',
      country: 'DE',
      ...(started.limits.has(tenantId) && { limits: started.limits.get(tenantId) }),
    }));
    const users = await answerRpc(rpc.identity.findUsers, ({ tenantId, userIds }) => {
      started.askedUsers.push(...userIds);
      return { userIds: userIds.filter((id) => started.users.get(tenantId)?.has(id)) };
    });
    const marketplace = await answerRpc(rpc.marketplace.isAppKnown, ({ appKey }) => ({
      known: !started.unknownApps.has(appKey),
    }));
    const config = {
      service: testServiceConfig('custom-objects'),
      // A busy machine takes seconds for what takes milliseconds elsewhere.
      database: {
        ...database.config,
        genericPlans: true,
        costlyTimeoutMs: 30_000,
        ...settings,
      },
      deletedRecordsKeptDays: 30,
      historyKeptDays: 365,
    };
    started.service = await startTestService(config, AppModule.with(config), { keySource: tokens.keySource });
    started.ends.push(
      () => started.service.close(),
      () => identity.close(),
      () => users.close(),
      () => marketplace.close(),
      () => started.admin.end(),
      () => database.drop(),
    );
    return started;
  }

  async close(): Promise<void> {
    for (const end of this.ends) await end();
  }

  get objects(): ObjectService {
    return this.service.get(ObjectService);
  }

  call(method: string, path: string, token: string, body?: unknown, headers?: Sent): Promise<TestAnswer<Json>> {
    return this.service.request<Json>(method, path, { token, body, ...(headers && { headers }) });
  }

  /** Creates a record, which has to succeed. @returns the record */
  async create(path: string, token: string, body: object): Promise<Json> {
    const answer = await this.call('POST', path, token, body);
    if (answer.status !== 201) throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** The records of all pages of a list that are read by cursor. @param path with a query */
  async pages(path: string, token: string): Promise<Json[]> {
    const all: Json[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { status, body } = await this.call(
        'GET',
        `${path}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
        token,
      );
      if (status !== 200) throw new Error(`${path} answered ${status}: ${JSON.stringify(body)}`);
      all.push(...body.data);
      cursor = body.nextCursor;
    }
    return all;
  }

  /** Writes copies of records. @param rows SQL of whole rows of the table; what the database generates is left to it */
  async copyRecords(rows: string, parameters: readonly unknown[]): Promise<void> {
    const { rows: found } = await this.admin.query<{ columns: string }>(
      `SELECT string_agg(attname, ', ') AS columns FROM pg_attribute
        WHERE attrelid = 'custom_record'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`,
    );
    const columns = found[0]?.columns;
    const copies = `INSERT INTO custom_record (${columns}) SELECT ${columns} FROM (${rows}) AS copies`;
    await this.admin.query(copies, [...parameters]);
  }

  /** More references to a record than one deletion or merge takes along. */
  async referTo({ id }: Json, tenant: Tenant): Promise<void> {
    await this.admin.query(
      `INSERT INTO record_reference (tenant_id, target_id, object_id, record_id, field_key)
       SELECT $1, $2, gen_random_uuid(), gen_random_uuid(), 1 FROM generate_series(1, 1001)`,
      [tenant.id, id],
    );
  }

  /** Does something while another transaction holds what the statement locks. */
  async whileHeld<T>(lock: string, parameters: unknown[], work: () => Promise<T>): Promise<T> {
    await this.admin.query('BEGIN');
    try {
      await this.admin.query(lock, parameters);
      return await work();
    } finally {
      await this.admin.query('COMMIT');
    }
  }

  /** Does something while the database refuses every record whose first field says `Refused`. */
  async whileRefusing<T>(work: () => Promise<T>): Promise<T> {
    await this.admin.query(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF NEW.data ->> '1' = 'Refused' THEN RAISE EXCEPTION 'refused'; END IF;
        RETURN NEW;
      END $$;
      CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON custom_record FOR EACH ROW EXECUTE FUNCTION refuse()`);
    try {
      return await work();
    } finally {
      await this.admin.query('DROP TRIGGER refuse ON custom_record; DROP FUNCTION refuse()');
    }
  }

  /** Signs the token of a member of a tenant. */
  userToken(tenantId: string, userId: string): Promise<string> {
    return tokens.sign({ tid: tenantId, sub: userId, roles: ['member'], scopes: [...SCOPE_NAMES] });
  }

  /** Signs a token with other claims than those of a user's session. */
  tokenOf(tenantId: string, claims: object): Promise<string> {
    return tokens.sign({ tid: tenantId, sub: randomUUID(), ...claims } as never);
  }

  /** Signs the token of an app that is installed in a tenant, by default of what was provisioned last and is no sandbox. */
  appToken(tenantId: string, appKey: string, scopes: readonly string[], more: object = {}): Promise<string> {
    const act = { sub: appKey, installation_id: this.installed.get(`${tenantId} ${appKey}`) ?? randomUUID() };
    const claims = { tid: tenantId, sub: act.installation_id, sid: undefined, roles: [`app:${appKey}`], scopes, act };
    return tokens.sign({ ...claims, ...more } as never);
  }

  /** Events of a tenant in the order in which they were appended. */
  async events(tenantId: string): Promise<StoredEvent[]> {
    const { rows } = await this.admin.query<StoredEvent>(
      `SELECT name, envelope->>'subject' AS subject, (envelope->>'recordversion')::int AS version,
              envelope->>'traceparent' AS traceparent, envelope->>'appkeys' AS appkeys, envelope->>'installationid' AS installationid,
              envelope->'data' AS data
         FROM outbox WHERE tenant_id = $1 ORDER BY seq`,
      [tenantId],
    );
    return rows;
  }

  /** Changes a tenant's definitions as another process does it: with a new revision in the same transaction. */
  async redefine(tenantId: string, change: string): Promise<void> {
    await this.service.get(Database).transaction(tenantId, async (tx) => {
      await tx.query(`UPDATE custom_field SET definition = ${change}`);
      await tx.query('UPDATE custom_object SET revision = revision + 1');
    });
  }

  provision(
    tenantId: string,
    objects: readonly DeclaredObject[],
    changes: { appKey?: string; sandbox?: boolean; installationId?: string } = {},
  ) {
    const installation = { installationId: randomUUID(), appKey: 'acme-visits', sandbox: false, ...changes };
    const { appKey, sandbox, installationId } = installation;
    if (!sandbox) this.installed.set(`${tenantId} ${appKey}`, installationId);
    return this.objects.provision(tenantId, { ...installation, objects });
  }

  async tenant(plan: Plan = 'business', declared: readonly DeclaredObject[] = [SITE_VISIT]): Promise<Tenant> {
    const id = randomUUID();
    this.plans.set(id, plan);
    if (declared.length > 0) await this.provision(id, declared);
    const sign: Tenant['sign'] = ({ roles, scopes = [...SCOPE_NAMES] }) =>
      tokens.sign({ tid: id, sub: randomUUID(), roles, scopes });
    const signed = await Promise.all(['admin', 'member', 'viewer'].map((role) => sign({ roles: [role] })));
    const [admin, member, viewer] = signed as [string, string, string];
    const call: Tenant['call'] = (method, path, body, headers) => this.call(method, path, member, body, headers);
    return { id, admin, member, viewer, sign, call };
  }
}

export let app: CustomObjectsService;
export const call: CustomObjectsService['call'] = (...request) => app.call(...request);

/** Runs the service from the first test of a file to the last one. */
export function useCustomObjects(settings: Partial<DatabaseConfig> = {}): void {
  beforeAll(async () => {
    app = await CustomObjectsService.start(settings);
  });
  afterAll(() => app?.close());
}
