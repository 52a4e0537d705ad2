import { randomUUID } from 'node:crypto';
import { newId } from '@crm/database';
import { serviceConfig } from '@crm/runtime';
import { startTestService, type TestAnswer, testDatabase, testNats, testTokens } from '@crm/testing';
import pg from 'pg';
import { AppModule } from '../src/app.module.js';
import { migrations } from '../src/migrations/index.js';

/** A problem document, as far as tests look into it. */
export interface Problem {
  code: string;
  errors?: { pointer: string; code: string; detail: string }[];
}

export type Record = { id: string; version: number; createdAt: string; updatedAt: string; [field: string]: unknown };
export type List = {
  data: Record[];
  page: number;
  size: number;
  total: number;
  totalIsExact: boolean;
  hasMore: boolean;
  nextCursor: string | null;
};

export interface StoredEvent {
  name: string;
  subject: string;
  version: number;
  data: { record: Record; changed?: string[]; previous?: { [field: string]: unknown } };
}

/** The service on a database of its own. */
export async function startCrm() {
  const database = await testDatabase('crm', migrations);
  const nats = testNats();
  const tokens = testTokens();
  const service = serviceConfig('crm', {
    PROFILE: 'test',
    PORT: '0',
    LOG_LEVEL: 'silent',
    NATS_URL: nats.url,
    NATS_PASSWORD: nats.passwords.crm,
  });
  const config = { service, database: database.config };
  const running = await startTestService(config, AppModule.with(config), { keySource: tokens.keySource });
  const admin = new pg.Pool({ connectionString: database.adminUrl, max: 1 });

  return {
    ...running,
    tokens,
    /** The database without row-level security. */
    admin,
    /** Events of a tenant in the order they were appended. */
    async events(tenantId: string): Promise<StoredEvent[]> {
      const { rows } = await admin.query(
        `SELECT name, envelope->>'subject' AS subject, (envelope->>'recordversion')::int AS version,
                envelope->'data' AS data
           FROM outbox WHERE tenant_id = $1 ORDER BY seq`,
        [tenantId],
      );
      return rows;
    },
    /** A tenant with a caller in each role. */
    async tenant() {
      const tenantId = newId();
      const userId = randomUUID();
      const as = async (role: string, scopes: string[] = []) => {
        const token = await tokens.sign({ tid: tenantId, sub: userId, roles: [role], scopes });
        return <Body = Record>(method: string, path: string, body?: unknown, headers?: { [name: string]: string }) =>
          running.request(method, path, { token, body, headers }) as Promise<TestAnswer<Body>>;
      };
      return { tenantId, userId, as, call: await as('member') };
    },
    async close() {
      await running.close();
      await admin.end();
      await database.drop();
    },
  };
}

export type Crm = Awaited<ReturnType<typeof startCrm>>;
