import { DATABASES, EVENTS } from '@crm/contracts';
import { appendEvent, createOutboxTable, Database, newId, ServiceMigration } from '@crm/database';
import { describe, expect, it } from '@jest/globals';
import type { QueryRunner } from 'typeorm';
import { testDatabase, waitUntil } from '../src/index.js';

class EventTables1700000000000 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await createOutboxTable(runner, DATABASES['custom-objects']);
  }
}

describe('testDatabase', () => {
  it('gives each caller a migrated database of its own, from one template', async () => {
    const databases = await Promise.all(
      [1, 2, 3].map(() => testDatabase('custom-objects', [EventTables1700000000000])),
    );
    const tenant = newId();
    const opened = databases.map(({ config }) => new Database(config));
    await opened[0]?.transaction(tenant, (tx) =>
      appendEvent(tx, EVENTS['lead.created'], { subject: 's', data: { record: {} as never } }),
    );
    const counts = await Promise.all(
      opened.map((database) => database.crossTenant((tx) => tx.query('SELECT 1 FROM outbox'))),
    );
    expect(counts.map((rows) => rows.length)).toEqual([1, 0, 0]);
    await Promise.all(opened.map((database) => database.close()));
    await Promise.all(databases.map((database) => database.drop()));
  });
});

describe('waitUntil', () => {
  it('says what it waited for', async () => {
    await expect(waitUntil(() => false, { timeoutMs: 30, describe: 'pigs fly' })).rejects.toThrow('pigs fly');
  });

  it('counts a machine that stands still as a moment', async () => {
    const standstill = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 150);
    let looks = 0;
    const comesTrue = () => {
      standstill();
      looks += 1;
      return looks === 4;
    };
    await waitUntil(comesTrue, { timeoutMs: 200 });
    expect(looks).toBe(4);
  });
});
