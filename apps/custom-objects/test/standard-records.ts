import { randomUUID } from 'node:crypto';
import { Database, newId } from '@crm/database';
import { type TestAnswer, type TestTokens, testTokens } from '@crm/testing';
import { startCustomObjects } from './custom-objects-service.js';

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

type Call = <Body = Record>(
  method: string,
  path: string,
  body?: unknown,
  headers?: { [name: string]: string },
) => Promise<TestAnswer<Body>>;

/** Callers of one tenant, which has standard objects only. */
export interface RecordTenant {
  readonly tenantId: string;
  readonly userId: string;
  /** Calls as a user with this role. */
  as(role: string, scopes?: string[]): Promise<Call>;
  /** Calls as a member. */
  readonly call: Call;
}

export interface StandardRecords {
  readonly request: Awaited<ReturnType<typeof startCustomObjects>>['service']['request'];
  readonly database: Database;
  readonly tokens: TestTokens;
  /** Events of a tenant in the order they were appended. */
  events(tenantId: string): Promise<StoredEvent[]>;
  tenant(): Promise<RecordTenant>;
  close(): Promise<void>;
}

/** The service, for tests of the records of standard objects. */
export async function startStandardRecords(): Promise<StandardRecords> {
  const { service, close } = await startCustomObjects();
  const tokens = testTokens();
  const database = service.get(Database);
  return {
    request: service.request,
    database,
    tokens,
    events: (tenantId) =>
      database.crossTenant((tx) =>
        tx.query<StoredEvent>(
          `SELECT name, envelope->>'subject' AS subject, (envelope->>'recordversion')::int AS version,
                  envelope->'data' AS data
             FROM outbox WHERE tenant_id = $1 ORDER BY seq`,
          [tenantId],
        ),
      ),
    async tenant() {
      const tenantId = newId();
      const userId = randomUUID();
      const as = async (role: string, scopes: string[] = []): Promise<Call> => {
        const token = await tokens.sign({ tid: tenantId, sub: userId, roles: [role], scopes });
        return <Body>(method: string, path: string, body?: unknown, headers?: { [name: string]: string }) =>
          service.request<Body>(method, path, { token, body, headers });
      };
      return { tenantId, userId, as, call: await as('member') };
    },
    close,
  };
}
