import { Database, newId } from '@crm/database';
import { NatsConnection, RevocationWatch } from '@crm/messaging';
import { testNats, waitUntil } from '@crm/testing';
import { afterAll, beforeAll } from '@jest/globals';
import type { TenantDecision, TenantStandingView } from '../src/suspensions/suspension.dto.js';
import type { TestIdentity } from './identity.js';
import { TestOperators } from './operators.js';

/** Operators who suspend workspaces, and a verifier as every other service has it. */
export class TestSuspensions {
  readonly operators: TestOperators;
  watch: RevocationWatch;
  private connection: NatsConnection;
  private administrator: string;

  private constructor(identity: TestIdentity) {
    this.operators = new TestOperators(identity);
  }

  static ofFile(identity: TestIdentity): TestSuspensions {
    const suspensions = new TestSuspensions(identity);
    beforeAll(() => suspensions.open());
    afterAll(() => suspensions.close());
    return suspensions;
  }

  static async start(identity: TestIdentity): Promise<TestSuspensions> {
    const suspensions = new TestSuspensions(identity);
    await suspensions.open();
    return suspensions;
  }

  private async open(): Promise<void> {
    const { url, passwords } = testNats();
    const config = { url, user: 'gateway', password: passwords.gateway, service: 'gateway' } as const;
    this.connection = await NatsConnection.open(config);
    this.watch = await watchOn(this.connection);
    this.administrator = (await this.operators.newlySignedIn()).accessToken;
  }

  async close(): Promise<void> {
    await this.watch?.stop();
    await this.connection?.close();
  }

  decide(decision: TenantDecision, tenantId: string, reason = 'It sends spam'): Promise<TenantStandingView> {
    return this.operators.call(decision, { id: tenantId, reason }, this.administrator);
  }

  /** Suspends a workspace, and waits until a verifier of another service knows. It may take a second. */
  async suspend(tenantId: string, reason?: string): Promise<TenantStandingView> {
    const standing = await this.decide('suspend', tenantId, reason);
    await this.settles(tenantId, true);
    return standing;
  }

  async reinstate(tenantId: string): Promise<TenantStandingView> {
    const standing = await this.decide('reinstate', tenantId, 'It was a mistake');
    await this.settles(tenantId, false);
    return standing;
  }

  settles(tenantId: string, isSuspended: boolean): Promise<void> {
    return waitUntil(() => this.watch.isSuspended(tenantId) === isSuspended, {
      timeoutMs: 1_000,
      describe: `the workspace is ${isSuspended ? 'suspended' : 'reinstated'} in other services`,
    });
  }

  /** What a process knows that starts now. */
  async lateVerifier(): Promise<RevocationWatch> {
    const watch = await watchOn(this.connection);
    await watch.stop();
    return watch;
  }

  list(query: { size?: number; cursor?: string } = {}) {
    return this.operators.call('listSuspended', query, this.administrator);
  }

  async entries(tenantId: string) {
    const query = { subjectKind: 'tenant' as const, subjectId: tenantId, size: 100 };
    return (await this.operators.call('listAudit', query, this.administrator)).data;
  }
}

async function watchOn(connection: NatsConnection): Promise<RevocationWatch> {
  const watch = new RevocationWatch(connection);
  watch.start();
  await waitUntil(() => watch.ready, { describe: 'the cut-offs' });
  return watch;
}

/** Waits until the administrators who are told are held up by another transaction. */
export const waitsForAdministrator = (identity: TestIdentity) => isHeldUp(identity, 'FOR KEY SHARE OF u');

/** Waits until a statement with this text is held up by another transaction. */
export async function isHeldUp(identity: TestIdentity, text: string): Promise<void> {
  const blocked = `SELECT 1 FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock' AND strpos(query, $1) > 0`;
  const administrator = new Database({ ...identity.config.database, url: identity.database.adminUrl });
  try {
    const seen = () => administrator.transaction(newId(), (tx) => tx.query(blocked, [text]));
    await waitUntil(async () => (await seen()).length > 0, {
      timeoutMs: 20_000,
      describe: `a statement is held up: ${text}`,
    });
  } finally {
    await administrator.close();
  }
}
