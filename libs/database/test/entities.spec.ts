import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Column, Entity, PrimaryColumn, type QueryRunner } from 'typeorm';
import {
  createTenantTable,
  Database,
  isUniqueViolation,
  type NarrowTransaction,
  newId,
  ServiceMigration,
  secondsFromNow,
  type TenantTransaction,
} from '../src/index.js';
import { type Fixture, roles, startFixture } from './fixture.js';

@Entity('note')
class Note {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' })
  tenantId: string;

  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ type: 'text' })
  text: string;

  @Column({ type: 'integer' })
  rank: number;

  @Column({ name: 'expires_at', type: 'timestamptz', nullable: true })
  expiresAt: Date | null;
}

class CreateTables1700000000001 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await createTenantTable(runner, roles, {
      name: 'note',
      columns: 'id uuid NOT NULL, text text NOT NULL, rank integer NOT NULL DEFAULT 7, expires_at timestamptz',
      // The narrow role may write rows of a tenant, and read none.
      narrow: [],
    });
    await runner.query(`GRANT INSERT ON note TO ${roles.narrowRole}`);
  }
}

// Failures in these tests are intentional.
Logger.overrideLogger(false);

describe('entities on a transaction', () => {
  let fixture: Fixture;
  const tenantId = newId();

  beforeAll(async () => {
    fixture = await startFixture({
      migrations: [CreateTables1700000000001],
      poolSize: 1,
      connectTimeoutMs: 2_000,
      entities: [Note],
    });
  });
  afterAll(() => fixture.drop());

  const inTenant = <T>(work: (tx: TenantTransaction) => Promise<T>) => fixture.database.transaction(tenantId, work);
  const inNarrow = <T>(work: (tx: NarrowTransaction) => Promise<T>) => fixture.database.crossTenant(work);

  it('fill in the tenant of inserted rows, by insert and by save', async () => {
    const [first, second] = [newId(), newId()];
    await inTenant(async (tx) => {
      await tx.repository(Note).insert({ id: first, text: 'inserted' });
      await tx.repository(Note).save(tx.repository(Note).create({ id: second, text: 'saved', rank: 1 }));
    });
    const notes = await inTenant((tx) => tx.repository(Note).find({ order: { text: 'ASC' } }));
    expect(notes.filter(({ id }) => [first, second].includes(id))).toEqual([
      { tenantId, id: first, text: 'inserted', rank: 7, expiresAt: null },
      { tenantId, id: second, text: 'saved', rank: 1, expiresAt: null },
    ]);
  });

  it('refuse to insert a row of another tenant, before the server does', async () => {
    const planted = inTenant((tx) => tx.repository(Note).insert({ tenantId: newId(), id: newId(), text: 'planted' }));
    await expect(planted).rejects.toThrow('only rows of its own tenant: note');
  });

  it('finds, changes and deletes no row of another tenant, even when a condition names that tenant', async () => {
    const id = newId();
    await inTenant((tx) => tx.repository(Note).insert({ id, text: 'hidden' }));
    await fixture.database.transaction(newId(), async (tx) => {
      const notes = tx.repository(Note);
      expect(await notes.findOneBy({ tenantId, id })).toBeNull();
      expect((await notes.update({ tenantId, id }, { text: 'changed' })).affected).toBe(0);
      expect((await notes.delete({ tenantId, id })).affected).toBe(0);
    });
    expect(await inTenant((tx) => tx.repository(Note).findOneBy({ tenantId, id }))).toMatchObject({ text: 'hidden' });
  });

  it('insert without reading anything back, so that a role with only INSERT can use them', async () => {
    const id = newId();
    await inNarrow(async (tx) => {
      await tx.query("SELECT set_config('app.tenant_id', $1, true)", [tenantId]);
      await tx.repository(Note).insert({ tenantId, id, text: 'by the narrow role' });
    });
    expect(await inTenant((tx) => tx.repository(Note).existsBy({ id }))).toBe(true);
  });

  it('can lock rows in the first statement of a transaction', async () => {
    const id = newId();
    await inTenant((tx) => tx.repository(Note).insert({ id, text: 'locked' }));
    const note = await inTenant((tx) =>
      tx.repository(Note).findOne({ where: { tenantId, id }, lock: { mode: 'pessimistic_write' } }),
    );
    expect(note?.text).toBe('locked');
  });

  it('turn a nested transaction into a savepoint, even as the first statement', async () => {
    const [kept, undone] = [newId(), newId()];
    await inTenant(async (tx) => {
      await tx.manager
        .transaction(async (inner) => {
          await inner.insert(Note, { id: undone, text: 'undone' });
          throw new Error('undo the savepoint');
        })
        .catch(() => undefined);
      await tx.manager.transaction((inner) => inner.insert(Note, { id: kept, text: 'kept' }));
    });
    const found = await inTenant((tx) => tx.repository(Note).find({ where: [{ id: kept }, { id: undone }] }));
    expect(found.map(({ text }) => text)).toEqual(['kept']);
  });

  it('cannot end the transaction', async () => {
    const id = newId();
    const ended = inTenant(async (tx) => {
      await tx.repository(Note).insert({ id, text: 'not committed' });
      await tx.manager.queryRunner?.commitTransaction();
    });
    await expect(ended).rejects.toThrow('Only the end of the callback');
    expect(await inTenant((tx) => tx.repository(Note).existsBy({ id }))).toBe(false);
  });

  it('open no connection outside the pool, and reject statements outside a transaction', async () => {
    const source = await inTenant(async (tx) => tx.manager.dataSource);
    await expect(source.getRepository(Note).find()).rejects.toThrow('outside a transaction');
    const [row] = await fixture.admin<{ count: string }>(
      'SELECT count(*) FROM pg_stat_activity WHERE application_name = $1 AND usename = $2',
      [fixture.database.config.applicationName, new URL(fixture.runtimeUrl).username],
    );
    expect(Number(row?.count)).toBe(1);
  });

  it('leave no manager behind after the transaction, whether it was used or not', async () => {
    const manager = await inTenant(async (tx) => tx.manager);
    await expect(manager.find(Note)).rejects.toThrow();
    const { connectedQueryRunners } = manager.dataSource.driver as unknown as { connectedQueryRunners: unknown[] };
    await inTenant((tx) => tx.repository(Note).find());
    await inTenant(async (tx) => {
      tx.repository(Note);
      throw new Error('changed my mind');
    }).catch(() => undefined);
    await inTenant(async () => undefined);
    expect(connectedQueryRunners).toHaveLength(0);
  });

  it('reject with what is recognised as the violation of a key, as statements do', async () => {
    const id = newId();
    await inTenant((tx) => tx.repository(Note).insert({ id, text: 'the first' }));
    for (const again of [
      inTenant((tx) => tx.repository(Note).insert({ id, text: 'the second' })),
      inTenant((tx) => tx.query("INSERT INTO note (tenant_id, id, text) VALUES ($1, $2, 'third')", [tenantId, id])),
    ]) {
      const error = await again.catch((reason: unknown) => reason);
      const judged = [undefined, 'note_pkey', 'other_key'].map((key) => isUniqueViolation(error, key));
      expect(judged).toEqual([true, true, false]);
    }
  });

  it('write times by the clock of the server', async () => {
    const id = newId();
    await inTenant(async (tx) => {
      await tx.repository(Note).insert({ id, text: 'for a minute', expiresAt: secondsFromNow(60) });
      const [row] = await tx.query<{ seconds: string }>(
        'SELECT extract(epoch FROM expires_at - now()) AS seconds FROM note WHERE id = $1',
        [id],
      );
      expect(Number(row?.seconds)).toBe(60);
    });
    expect(() => secondsFromNow(Number.NaN)).toThrow('finite');
  });

  it('reject with SERVICE_UNAVAILABLE while the server cannot be reached at the start, and work once it can', async () => {
    const database = new Database({ ...fixture.database.config, url: 'postgres://nobody@127.0.0.1:1/none' }, [Note]);
    await expect(database.prepareEntities()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await expect(database.transaction(tenantId, async () => 1)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await database.close();
  });

  it('are unavailable when the service names no entities', async () => {
    const database = new Database(fixture.database.config);
    await expect(database.transaction(tenantId, async (tx) => tx.repository(Note))).rejects.toThrow('forService');
    await database.close();
  });
});
