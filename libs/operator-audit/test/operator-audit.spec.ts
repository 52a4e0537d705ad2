import { randomBytes, randomUUID } from 'node:crypto';
import { PLATFORM_TENANT, type ServiceDatabase } from '@crm/contracts';
import { Database, newId, provisionDatabase, runMigrations, ServiceMigration } from '@crm/database';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { QueryRunner } from 'typeorm';
import {
  actingOperator,
  createOperatorAuditTable,
  listOperatorAudit,
  MOST_FAILURES_PER_HOUR,
  recordFailedSignIn,
  recordOperatorAct,
} from '../src/index.js';

const roles: ServiceDatabase = {
  database: 'audittest',
  ownerRole: 'audittest_owner',
  runtimeRole: 'audittest_runtime',
  narrowRole: 'audittest_narrow',
};

class CreateTable1700000000000 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await createOperatorAuditTable(runner, roles, 'runtime');
  }
}

describe('the trail of operators', () => {
  const serverUrl = process.env.TEST_DATABASE_URL ?? '';
  const name = `audittest_${randomBytes(6).toString('hex')}`;
  let database: Database;
  beforeAll(async () => {
    const { ownerUrl, runtimeUrl, narrowUrl } = await provisionDatabase({
      adminUrl: serverUrl,
      definition: roles,
      database: name,
      passwords: { owner: 'owner', runtime: 'runtime', narrow: 'narrow' },
    });
    await runMigrations({ ownerUrl, migrations: [CreateTable1700000000000] });
    database = new Database({ url: runtimeUrl, narrowUrl, applicationName: name });
  });
  afterAll(async () => {
    await database?.close();
    const server = new pg.Client({ connectionString: serverUrl });
    await server.connect();
    await server.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await server.end();
  });

  const within = <T>(work: Parameters<Database['transaction']>[1]): Promise<T> =>
    database.transaction(PLATFORM_TENANT, work) as Promise<T>;
  const list = (query: object) =>
    within<Awaited<ReturnType<typeof listOperatorAudit>>>((tx) => listOperatorAudit(tx, { size: 50, ...query }));
  const operator = () => ({ id: randomUUID(), role: 'reviewer' as const });

  it('is committed with the act, or not at all', async () => {
    const ada = operator();
    const subject = { kind: 'app', id: 'fleet' } as const;
    // In the context of a tenant, which can add an entry and not read one.
    await database.transaction(newId(), async (tx) => {
      await recordOperatorAct(tx, { operator: ada, act: 'app.suspend', subject, reason: 'done' });
      expect((await listOperatorAudit(tx, { size: 50 })).data).toEqual([]);
    });
    const undone = within(async (tx) => {
      await recordOperatorAct(tx, { operator: ada, act: 'app.suspend', subject, reason: 'undone' });
      throw new Error('rolled back');
    });
    await expect(undone).rejects.toThrow('rolled back');
    expect((await list({ operatorId: ada.id })).data.map(({ reason }) => reason)).toEqual(['done']);
  });

  it('is ended by long entries, and never by nothing', async () => {
    const ada = operator();
    const findings = { long: 'x'.repeat(500_000) };
    for (let count = 0; count < 3; count += 1) {
      const subject = { kind: 'platform', id: String(count) } as const;
      await within((tx) => recordOperatorAct(tx, { operator: ada, act: 'operator.change', subject, findings }));
    }
    let beforeId: string | undefined;
    for (const expected of [
      [['2'], true],
      [['1'], true],
      [['0'], false],
    ]) {
      const { data, more } = await list({ operatorId: ada.id, beforeId });
      expect([data.map(({ subjectId }) => subjectId), more]).toEqual(expected);
      beforeId = data[0]?.id;
    }
  });

  it('takes any time as a bound', async () => {
    for (const [from, to] of [
      ['1969-12-31T23:59:59Z', '1970-01-01T00:00:00Z'],
      ['+200000-01-01T00:00:00Z', '+200000-01-01T00:00:00Z'],
      ['1970-01-01T00:00:00Z', '+200000-01-01T00:00:00Z'],
    ]) {
      expect((await list({ from, to, operatorId: randomUUID() })).data).toEqual([]);
    }
  });

  it('has a bounded number of failed sign-ins of an account in an hour', async () => {
    const [ada, grace] = [operator(), operator()];
    for (let count = 0; count < MOST_FAILURES_PER_HOUR + 5; count += 1) {
      await within((tx) => recordFailedSignIn(tx, ada, { subject: { kind: 'operator', id: ada.id } }));
    }
    await within((tx) => recordFailedSignIn(tx, grace, { subject: { kind: 'operator', id: grace.id } }));
    expect((await list({ operatorId: ada.id })).data).toHaveLength(MOST_FAILURES_PER_HOUR);
    expect((await list({ operatorId: grace.id })).data).toHaveLength(1);
  });

  it('is never changed by the roles of the service', async () => {
    const changes = ["UPDATE operator_audit SET reason = 'x'", 'DELETE FROM operator_audit', 'TRUNCATE operator_audit'];
    for (const sql of changes) await expect(within((tx) => tx.query(sql))).rejects.toThrow(/permission denied/);
    for (const sql of [...changes, 'SELECT 1 FROM operator_audit']) {
      await expect(database.crossTenant((tx) => tx.query(sql))).rejects.toThrow(/permission denied/);
    }
  });

  it('names nobody who has no role of operators', () => {
    expect(actingOperator({ userId: 'a', roles: ['x', 'administrator'] })).toEqual({ id: 'a', role: 'administrator' });
    expect(() => actingOperator({ userId: 'a', roles: ['owner'] })).toThrow('without a role of operators');
  });
});
