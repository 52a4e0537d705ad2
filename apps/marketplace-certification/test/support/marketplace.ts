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
import { AppModule } from '../../src/app.module.js';
import type { ReviewDecision } from '../../src/catalogue/version-state.js';
import type { CertificationView } from '../../src/certification/certification.dto.js';
import type { MarketplaceConfig } from '../../src/config.js';
import type { InstallationView } from '../../src/installation/installation.dto.js';
import type { AppDetailView, AppView, RatingView } from '../../src/listing/listing.dto.js';
import { migrations } from '../../src/migrations/index.js';
import { ReviewService } from '../../src/review/review.service.js';
import type {
  AcceptedSubmissionView,
  DeveloperAppView,
  DeveloperVersionView,
} from '../../src/submission/submission.dto.js';
import { fieldService, reviewPacket } from './packages.js';

/** Somebody who calls, with a token of their own. */
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
    private readonly config: MarketplaceConfig,
    private readonly tokens: ReturnType<typeof testTokens>,
    private readonly drop: () => Promise<void>,
    public service: TestService,
  ) {}

  static async start(
    changes: Partial<MarketplaceConfig['installation']> = {},
    quotas: Partial<MarketplaceConfig['quotas']> = {},
  ): Promise<Marketplace> {
    const database = await testDatabase('marketplace-certification', migrations);
    const config: MarketplaceConfig = {
      service: testServiceConfig('marketplace-certification'),
      database: database.config,
      keyEncryptionKey: randomBytes(32).toString('base64'),
      quotas: { certifications: quota(1_000), submissions: quota(1_000), ...quotas },
      installation: { answerWithinMs: 10_000, pollMs: 100, concurrency: 8, ...changes },
    };
    const tokens = testTokens();
    const service = await startTestService(config, AppModule.with(config, resolves), { keySource: tokens.keySource });
    return new Marketplace(config, tokens, () => database.drop(), service);
  }

  get database(): Database {
    return this.service.get(Database);
  }

  /** Another process on the same database, in the place of this one. */
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

  submit(caller: Caller, manifest: Manifest | Record<string, unknown>): Promise<TestAnswer<Body>> {
    return this.request(caller, 'POST', '/developer/apps/submit', { manifest, reviewPacket });
  }

  install(caller: Caller, appKey: string, more: object = {}): Promise<TestAnswer<Body>> {
    return this.request(caller, 'POST', '/installs', { appKey, ...more });
  }

  /** What a tenant's changes have told the other services, in order. */
  events(tenantId: string): Promise<{ name: string; data: object }[]> {
    return this.database.crossTenant((tx) =>
      tx.query(`select name, envelope::jsonb -> 'data' as data from outbox where tenant_id = $1 order by id`, [
        tenantId,
      ]),
    );
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

  /** Submits and publishes a package. */
  async publish(publisher: Caller, key: string, changes: Partial<Manifest> = {}): Promise<string> {
    const submitted = await this.submit(publisher, fieldService(key, changes));
    if (submitted.status !== 201) throw new Error(JSON.stringify(submitted.body));
    await this.decide(submitted.body.submissionId, 'publish', 'The warnings are known.');
    return submitted.body.submissionId;
  }
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

/** A name server that knows every name, so that tests do not depend on the network; `inside.…` leads to a private address. */
async function resolves(hostname: string): Promise<string[]> {
  return [hostname.startsWith('inside.') ? '10.0.0.5' : '93.184.216.34'];
}
