import { randomBytes, randomUUID } from 'node:crypto';
import { Database } from '@crm/database';
import type { QuotaByPlan, ServiceConfig } from '@crm/runtime';
import {
  startTestService,
  type TestAnswer,
  type TestDatabase,
  type TestRequest,
  type TestService,
  testDatabase,
  testServiceConfig,
  waitUntil,
} from '@crm/testing';
import { afterAll, beforeAll } from '@jest/globals';
import type { Type } from '@nestjs/common';
import { decodeJwt, type JWK } from 'jose';
import { AppModule } from '../src/app.module.js';
import type { IdentityConfig } from '../src/config.js';
import { migrations } from '../src/migrations/index.js';
import { HASH_POOL_DEFAULTS, type HashPoolOptions } from '../src/passwords/hash-pool.js';
import { MailServer } from './mail-server.js';

export const PASSWORD = 'correct-horse-battery-staple';
export const NEW_PASSWORD = 'tidal-lantern-orbits-quietly';

/** Where the passkeys of tests are used. */
export const USERS = { id: 'crm.example.com', origins: ['https://app.crm.example.com'] };
export const OPERATORS = { id: 'operators.example.com', origins: ['https://operators.example.com'] };

/** Members of the answers that tests look at; an answer has those of its kind. */
export interface Body extends Record<Texts, string>, Record<'roles' | 'methods' | 'recoveryCodes', string[]> {
  errors: { pointer: string }[];
  email: string | null;
  total: number;
  nextCursor: string | null;
  data: { id: string; current: boolean; expiresAt: string; endsAt: string }[];
  expiresIn: number;
  user: { id: string };
  tenant: { id: string };
  keys: JWK[];
}
type Texts = 'id' | 'code' | 'detail' | 'status' | 'name' | 'challengeId' | 'secret' | 'otpauthUri' | Tokens;
type Tokens = 'accessToken' | 'refreshToken' | 'enrolmentToken';

export type Answer = TestAnswer<Body>;

type AnyAnswer = Pick<TestAnswer<object | undefined>, 'status' | 'body'>;

/** The status of an answer, and the code of its error. */
export async function outcome(answer: AnyAnswer | Promise<AnyAnswer>): Promise<[number, string | undefined]> {
  const { status, body } = await answer;
  const { code, error } = (body ?? {}) as { code?: string; error?: string };
  return [status, code ?? error];
}

/** A person who has registered a workspace and signed in. */
export interface Account {
  email: string;
  userId: string;
  tenantId: string;
  accessToken: string;
  refreshToken: string;
}

/** Hundreds of tests sign in. */
const QUICK: HashPoolOptions['cost'] = { memoryCost: 64, timeCost: 1, parallelism: 1 };

interface Changes {
  profile?: ServiceConfig['profile'];
  smtpUrl?: string;
  hashPool?: Partial<HashPoolOptions>;
  quotas?: Partial<IdentityConfig['quotas']>;
  settings?: Partial<IdentityConfig>;
}

/** identity as it runs, with a database of its own. */
export class TestIdentity {
  config: IdentityConfig;
  database: TestDatabase;
  service: TestService;
  private isReplica = false;

  private constructor(private readonly changes: Changes) {}

  static async start(changes: Changes = {}): Promise<TestIdentity> {
    const identity = new TestIdentity(changes);
    await identity.open();
    return identity;
  }

  /** One that is opened later. */
  static prepared(changes: Changes): TestIdentity {
    return new TestIdentity(changes);
  }

  /** The service of a test file: started before its tests, and closed after them. */
  static ofFile(changes: Changes = {}): TestIdentity {
    const identity = new TestIdentity(changes);
    beforeAll(() => identity.open());
    afterAll(() => identity.close());
    return identity;
  }

  /** The service of a test file as two processes on one database, with a server that takes their mail where one is given. */
  static replicasOfFile(changes: Changes = {}, mailServer?: MailServer) {
    const [identity, replica] = [new TestIdentity(changes), new TestIdentity(changes)];
    beforeAll(async () => {
      await mailServer?.listen();
      await identity.open(mailServer?.url);
      await identity.replicate(replica);
    });
    afterAll(async () => {
      await replica.close();
      await identity.close();
      await mailServer?.close();
    });
    return { identity, replica };
  }

  async open(smtpUrl = this.changes.smtpUrl): Promise<void> {
    this.database = await testDatabase('identity', migrations);
    const { profile = 'test', hashPool, quotas, settings } = this.changes;
    this.config = {
      service: { ...testServiceConfig('identity'), profile, trustedProxies: ['127.0.0.1'] },
      database: this.database.config,
      limits: {},
      // Nobody listens on the discard port: mail waits.
      smtpUrl: smtpUrl ?? 'smtp://127.0.0.1:9',
      mailFrom: 'no-reply@platform.test',
      keyEncryptionKey: randomBytes(32).toString('base64'),
      sessions: { idleSeconds: 3600, maxSeconds: 86_400 },
      operatorSessions: { idleSeconds: 3600, maxSeconds: 86_400 },
      stepUpSeconds: 600,
      operatorSecondFactor: profile === 'production',
      passkeys: { users: USERS, operators: OPERATORS },
      hashPool: { ...HASH_POOL_DEFAULTS, cost: QUICK, queueMs: 10_000, ...hashPool },
      quotas: { users: quota(1_000), hostUsers: quota(1_000), ...quotas },
      auditRetentionDays: 400,
      egress: { allow: [], providerMs: 10_000 },
      ...settings,
    };
    this.service = await startTestService(this.config, AppModule.with(this.config), { keySource: 'own' });
  }

  /** Another process of the service on the same database; close it first. */
  replica(settings: Partial<IdentityConfig> = {}): Promise<TestIdentity> {
    return this.replicate(new TestIdentity(this.changes), settings);
  }

  private async replicate(replica: TestIdentity, settings: Partial<IdentityConfig> = {}): Promise<TestIdentity> {
    const config = { ...this.config, ...settings };
    const service = await startTestService(config, AppModule.with(config), { keySource: 'own' });
    return Object.assign(replica, { config, database: this.database, service, isReplica: true });
  }

  async close(): Promise<void> {
    await this.service?.close();
    if (!this.isReplica) await this.database?.drop();
  }

  /** Something of the running service. */
  get<T>(token: Type<T>): T {
    return this.service.get(token);
  }

  /** Runs a statement in the context of a tenant. */
  query<Row extends object = Record<string, unknown>>(
    tenantId: string,
    sql: string,
    parameters: unknown[] = [],
  ): Promise<Row[]> {
    return this.get(Database).transaction(tenantId, (tx) => tx.query<Row>(sql, parameters));
  }

  /** Runs a statement by the narrow role. */
  queryAll<Row extends object = Record<string, unknown>>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    return this.get(Database).crossTenant((tx) => tx.query<Row>(sql, parameters));
  }

  /** Whatever waits in a table of the tenant has expired. */
  async expire(table: string, tenantId: string): Promise<void> {
    await this.query(tenantId, `UPDATE ${table} SET expires_at = now() - interval '1 second'`);
  }

  /** The last proof of every session of the tenant is too long ago. */
  async forgetProofs(tenantId: string): Promise<void> {
    await this.query(tenantId, "UPDATE session SET proven_at = now() - interval '601 seconds'");
  }

  stepUp(token: string): Promise<Answer> {
    return this.post('/api/auth/step-up', { password: PASSWORD }, token);
  }

  setSecondFactor(token: string, enabled: boolean, password = PASSWORD): Promise<Answer> {
    return this.request('PUT', '/api/auth/mfa', { token, body: { enabled, password } });
  }

  /** Waits until the access token is refused: cut-offs take effect within a second. */
  async refuses(token: string): Promise<void> {
    const isRefused = async () => (await this.me(token)).status === 401;
    await waitUntil(isRefused, { timeoutMs: 1000, describe: 'the access token is refused' });
  }

  me(token?: string): Promise<Answer> {
    return this.request('GET', '/api/auth/me', { token });
  }

  refresh(refreshToken: string): Promise<Answer> {
    return this.post('/api/auth/refresh', { refreshToken });
  }

  request(method: string, path: string, options: TestRequest = {}): Promise<Answer> {
    return this.service.request<Body>(method, path, options);
  }

  post(path: string, body: unknown, token?: string): Promise<Answer> {
    return this.request('POST', path, { body, token });
  }

  login(email: string, password = PASSWORD, headers?: Record<string, string>): Promise<Answer> {
    return this.request('POST', '/api/auth/login', { body: { email, password }, headers });
  }

  /** Registers a workspace and signs its owner in. */
  async account(workspace: Record<string, unknown> = {}): Promise<Account> {
    const email = newEmail();
    const registered = await this.post('/api/auth/register', {
      email,
      password: PASSWORD,
      name: 'Somebody',
      workspace: { name: 'A workspace', ...workspace },
    });
    if (registered.status !== 201) throw new Error(`Registration: ${JSON.stringify(registered.body)}`);
    return this.signedIn(email);
  }

  /** Adds a user with a password to the account's workspace and signs them in. */
  async member(owner: Account, roles: string[] = ['member'], email = newEmail()): Promise<Account> {
    const added = await this.post(
      '/api/tenant/users',
      { email, name: 'Member', password: PASSWORD, roles },
      owner.accessToken,
    );
    if (added.status !== 201) throw new Error(`Adding a user: ${JSON.stringify(added.body)}`);
    return this.signedIn(email);
  }

  /** A role of the account's workspace, without the marketplace that is asked when it is added. */
  async role({ tenantId }: Account, name: string): Promise<void> {
    await this.query(tenantId, 'INSERT INTO workspace_role (tenant_id, name, label) VALUES ($1, $2, $2)', [
      tenantId,
      name,
    ]);
  }

  /** The owner of a new workspace, and a user with each of the roles. */
  async team<Role extends string>(...roles: Role[]): Promise<Record<Role | 'owner', Account>> {
    const team = { owner: await this.account() } as Record<Role | 'owner', Account>;
    for (const role of roles) team[role] = await this.member(team.owner, [role]);
    return team;
  }

  changeUser(by: Account, userId: string, body: object): Promise<Answer> {
    return this.request('PATCH', `/api/tenant/users/${userId}`, { token: by.accessToken, body });
  }

  async signedIn(email: string, password = PASSWORD): Promise<Account> {
    const { status, body } = await this.login(email, password);
    if (status !== 200) throw new Error(`Sign-in: ${JSON.stringify(body)}`);
    const { sub, tid } = decodeJwt(body.accessToken) as { sub: string; tid: string };
    return { email, userId: sub, tenantId: tid, accessToken: body.accessToken, refreshToken: body.refreshToken };
  }

  /** Calls as someone who has signed in. */
  send(method: string, path: string, { accessToken }: Pick<Account, 'accessToken'>, body?: unknown): Promise<Answer> {
    return this.request(method, path, { token: accessToken, body });
  }
}

/** The service of a test file, with a server that takes its mail. */
export function withMail(changes: Changes = {}): { identity: TestIdentity; mailServer: MailServer } {
  const mailServer = new MailServer();
  const identity = TestIdentity.prepared(changes);
  beforeAll(async () => {
    await mailServer.listen();
    await identity.open(mailServer.url);
  });
  afterAll(async () => {
    await identity.close();
    await mailServer.close();
  });
  return { identity, mailServer };
}

/** An address that no other test has. */
export const newEmail = (): string => `user-${randomUUID()}@identity.test`;

let callers = 0;
/** Limits count by client: no other call of the file comes from this one. */
export function fromElsewhere(): Record<string, string> {
  callers += 1;
  return { 'x-forwarded-for': `198.51.100.${callers}` };
}

/** The same quota for every plan. */
export const quota = (limit: number): QuotaByPlan => ({ developer: limit, business: limit, enterprise: limit });
