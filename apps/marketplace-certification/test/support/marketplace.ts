import { randomBytes, randomUUID } from 'node:crypto';
import type { Principal } from '@crm/access';
import { Database } from '@crm/database';
import type { Manifest } from '@crm/manifest';
import type { QuotaByPlan } from '@crm/runtime';
import {
  startTestService,
  type TestAnswer,
  type TestService,
  testDatabase,
  testServiceConfig,
  testTokens,
  waitUntil,
} from '@crm/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, jest } from '@jest/globals';
import { AppModule } from '../../src/app.module.js';
import type { AppDecision, ReviewDecision } from '../../src/catalogue/version-state.js';
import type { CertificationView } from '../../src/certification/certification.dto.js';
import type { MarketplaceConfig } from '../../src/config.js';
import type { InstallationView } from '../../src/installation/installation.dto.js';
import type { AppDetailView, AppView, RatingView } from '../../src/listing/listing.dto.js';
import { migrations } from '../../src/migrations/index.js';
import { AppDecisionService } from '../../src/review/app-decision.service.js';
import { ReviewService } from '../../src/review/review.service.js';
import type {
  AcceptedSubmissionView,
  DeveloperAppView,
  DeveloperVersionView,
} from '../../src/submission/submission.dto.js';
import { Neighbours } from './neighbours.js';
import { fieldService, newKey, reviewPacket } from './packages.js';

/** Someone who calls, with a token of their own. */
export interface Caller {
  readonly tenantId: string;
  readonly userId: string;
  readonly token: string;
}

/** The same quota for every plan. */
export const quota = (limit: number): QuotaByPlan => ({ developer: limit, business: limit, enterprise: limit });

/** Whatever an answer may hold: the expectations say which members it has to have. */
export type Body = Problem &
  CertificationView &
  AcceptedSubmissionView &
  DeveloperVersionView &
  InstallationView &
  Omit<AppDetailView, 'objects'> &
  RatingView & {
    data: (DeveloperAppView & AppView & InstallationView)[];
    total: number;
    nextCursor: string | null;
    secret: string;
    clientId: string;
    clientSecret: string;
    installationId: string;
    installation: { id: string; state: string };
    $id: string;
  };

interface Problem {
  code: string;
  detail: string;
  errors: { pointer: string; code: string }[];
}

/** The service on a database of its own, and what tests do with it again and again. */
export class Marketplace {
  private constructor(
    readonly config: MarketplaceConfig,
    private readonly tokens: ReturnType<typeof testTokens>,
    private readonly drop: () => Promise<void>,
    public service: TestService,
  ) {}

  static async start(): Promise<Marketplace> {
    const database = await testDatabase('marketplace-certification', migrations);
    const config: MarketplaceConfig = {
      service: testServiceConfig('marketplace-certification'),
      database: database.config,
      keyEncryptionKey: randomBytes(32).toString('base64'),
      quotas: { certifications: quota(1_000), submissions: quota(1_000) },
      installation: { answerWithinMs: 10_000, pollMs: 100, concurrency: 8 },
    };
    const tokens = testTokens();
    const service = await startTestService(config, AppModule.with(config, resolves), { keySource: tokens.keySource });
    return new Marketplace(config, tokens, () => database.drop(), service);
  }

  get database(): Database {
    return this.service.get(Database);
  }

  /** Another process on the same database, in place of this one. */
  async restart(): Promise<void> {
    await this.service.close();
    this.service = await startTestService(this.config, AppModule.with(this.config, resolves), {
      keySource: this.tokens.keySource,
    });
  }

  async close(): Promise<void> {
    await this.service.close();
    await this.drop();
  }

  async caller(role = 'admin', tenantId: string = randomUUID()): Promise<Caller> {
    const userId = randomUUID();
    return { tenantId, userId, token: await this.tokens.sign({ sub: userId, tid: tenantId, roles: [role] }) };
  }

  sign: ReturnType<typeof testTokens>['sign'] = (claims) => this.tokens.sign(claims);

  request(
    caller: Caller | undefined,
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<TestAnswer<Body>> {
    return this.service.request<Body>(method, `/api/marketplace${path}`, {
      ...(caller && { token: caller.token }),
      ...(body !== undefined && { body }),
      ...(headers && { headers }),
    });
  }

  get = (caller: Caller | undefined, path: string) => this.request(caller, 'GET', path);
  delete = (caller: Caller, path: string) => this.request(caller, 'DELETE', path);
  put = (caller: Caller, path: string, body: unknown) => this.request(caller, 'PUT', path, body);
  post = (caller: Caller | undefined, path: string, body?: unknown, headers?: Record<string, string>) =>
    this.request(caller, 'POST', path, body, headers);

  submit(caller: Caller, manifest: Manifest | Record<string, unknown>): Promise<TestAnswer<Body>> {
    return this.request(caller, 'POST', '/developer/apps/submit', { manifest, reviewPacket });
  }

  install(caller: Caller, appKey: string, more: object = {}): Promise<TestAnswer<Body>> {
    return this.request(caller, 'POST', '/installs', { appKey, ...more });
  }

  query<Row = Record<string, unknown>>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    return this.database.crossTenant((tx) => tx.query<Row>(sql, parameters));
  }

  queryOf<Row = Record<string, unknown>>(
    { tenantId }: Pick<Caller, 'tenantId'>,
    sql: string,
    parameters: readonly unknown[] = [],
  ): Promise<Row[]> {
    return this.database.transaction(tenantId, (tx) => tx.query<Row>(sql, parameters));
  }

  /** What a tenant's changes have told the other services, in order. */
  events(tenantId: string): Promise<{ name: string; data: object }[]> {
    const sql = `select name, envelope::jsonb -> 'data' as data from outbox where tenant_id = $1 order by id`;
    return this.query(sql, [tenantId]);
  }

  /** Waits until an installation is in the state. */
  settled(caller: Caller, id: string, state: string): Promise<void> {
    return waitUntil(async () => (await this.request(caller, 'GET', `/installs/${id}`)).body.state === state, {
      timeoutMs: 15_000,
      describe: `installation ${id} is ${state}`,
    });
  }

  decide(submissionId: string, decision: ReviewDecision, reason?: string, operator = theOperator) {
    return this.service.get(ReviewService).decide(operator, submissionId, decision, reason);
  }

  decideApp(key: string, decision: AppDecision, reason = 'It loses data.', operator = theAdministrator) {
    return this.service.get(AppDecisionService).decide(operator, key, decision, reason);
  }

  /** Submits a package that passes certification. */
  async submitted(publisher: Caller, changes: object = {}, key = newKey()): Promise<{ id: string; key: string }> {
    const { status, body } = await this.submit(publisher, fieldService(key, changes));
    if (status !== 201) throw new Error(JSON.stringify(body));
    return { id: body.submissionId, key };
  }

  /** Submits and publishes a package with a new key. */
  async published(publisher: Caller, changes: object = {}): Promise<string> {
    const key = newKey();
    await this.publish(publisher, key, changes);
    return key;
  }

  /** Submits and publishes a package. */
  async publish(publisher: Caller, key: string, changes: Partial<Manifest> = {}): Promise<string> {
    const { id } = await this.submitted(publisher, changes, key);
    await this.decide(id, 'publish', 'The warnings are known.');
    return id;
  }
}

export let marketplace: Marketplace;
export let neighbours: Neighbours;
/** The owner of a workspace that publishes; a new one for each test. */
export let developer: Caller;
/** An administrator of another workspace; a new one for each test. */
export let tenant: Caller;

/**
 * Runs the service and its neighbours from the first test of a file to the last one. Before each test the neighbours
 * answer as usual.
 */
export function useMarketplace(): void {
  const renew = async () => {
    [developer, tenant] = await Promise.all([marketplace.caller('owner'), marketplace.caller()]);
    neighbours.reset();
  };
  beforeAll(async () => {
    neighbours = await Neighbours.start();
    marketplace = await Marketplace.start();
    await renew();
  });
  beforeEach(renew);
  afterEach(() => {
    jest.restoreAllMocks();
  });
  afterAll(async () => {
    await marketplace.close();
    await neighbours.close();
  });
}

export const theOperator: Principal = {
  kind: 'operator',
  userId: '0198c0de-0000-7000-8000-000000000001',
  tenantId: '',
  roles: ['reviewer'],
  scopes: [],
  tokenId: randomUUID(),
  issuedAtMs: Date.now(),
  token: 'operator',
};

export const theAdministrator: Principal = { ...theOperator, roles: ['administrator'] };

export const anotherOperator: Principal = { ...theOperator, userId: '0198c0de-0000-7000-8000-000000000002' };

/** Expects an answer with the status and the code. */
export async function refused(answer: Promise<TestAnswer<Pick<Body, 'code'>>>, status: number, code: string) {
  const { status: actual, body } = await answer;
  expect([actual, body.code]).toEqual([status, code]);
}

/** Expects calls of a service to fail with the code. */
export async function refusedWith(code: string, ...calls: Promise<unknown>[]): Promise<void> {
  for (const call of calls) await expect(call).rejects.toMatchObject({ code });
}

/** A name server that knows every name, so that tests do not depend on the network; `inside.…` leads to a private address. */
async function resolves(hostname: string): Promise<string[]> {
  return [hostname.startsWith('inside.') ? '10.0.0.5' : '93.184.216.34'];
}
