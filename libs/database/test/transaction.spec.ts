import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { newId, type TenantTransaction } from '../src/index.js';
import { type Fixture, gate, startFixture, startKeepingProxy, startRecordingProxy } from './fixture.js';

// Failures in these tests are intentional.
Logger.overrideLogger(false);

const CONTEXT = "SELECT current_setting('app.tenant_id', true) AS tenant";
const insertNote = (tx: TenantTransaction, text: string) =>
  tx.query('INSERT INTO note (tenant_id, id, text) VALUES ($1, $2, $3)', [tx.tenantId, newId(), text]);

describe('a tenant transaction', () => {
  let fixture: Fixture;
  const a = newId();

  beforeAll(async () => {
    fixture = await startFixture({ poolSize: 2, connectTimeoutMs: 2_000 });
  });
  afterAll(() => fixture.drop());

  const countOf = async (tenant: string, text: string) => {
    const [row] = await fixture.admin<{ count: string }>(
      'SELECT count(*) FROM note WHERE tenant_id = $1 AND text = $2',
      [tenant, text],
    );
    return Number(row?.count);
  };

  it('commits what the work wrote, and rolls back when it rejects', async () => {
    await fixture.database.transaction(a, (tx) => insertNote(tx, 'kept'));
    const failed = fixture.database.transaction(a, async (tx) => {
      await insertNote(tx, 'dropped');
      throw new Error('changed my mind');
    });
    await expect(failed).rejects.toThrow('changed my mind');
    expect(await countOf(a, 'kept')).toBe(1);
    expect(await countOf(a, 'dropped')).toBe(0);
  });

  it('leaves no context behind on the connection, also after a failure', async () => {
    for (let round = 0; round < 6; round += 1) {
      await fixture.database.transaction(a, (tx) => tx.query('SELECT 1'));
    }
    await expect(fixture.database.transaction(a, (tx) => tx.query('SELECT 1/0'))).rejects.toThrow('division by zero');
    // biome-ignore lint/complexity/useLiteralKeys: the pool is private; the test needs its connection.
    const pool = fixture.database['runtimePool'];
    for (let round = 0; round < 4; round += 1) {
      const { rows } = await pool.query(CONTEXT);
      expect(rows[0].tenant ?? '').toBe('');
      expect((await pool.query('SELECT * FROM note')).rows).toEqual([]);
    }
  });

  it('keeps concurrent tenants apart', async () => {
    const tenants = Array.from({ length: 40 }, () => newId());
    const seen = await Promise.all(
      tenants.map((tenant) =>
        fixture.database.transaction(tenant, async (tx) => {
          await insertNote(tx, tenant);
          await tx.query('SELECT pg_sleep(0.002)');
          return tx.query<{ tenant_id: string; text: string }>('SELECT tenant_id, text FROM note');
        }),
      ),
    );
    for (const [index, rows] of seen.entries()) {
      expect(rows).toEqual([{ tenant_id: tenants[index], text: tenants[index] }]);
    }
  });

  it('rejects a tenant id that is not a UUID before it uses a connection', async () => {
    await expect(fixture.database.transaction("x' OR '1'='1", async () => 1)).rejects.toThrow('UUID');
  });

  it('reports the outcome of each of several statements sent together', async () => {
    const outcomes = await fixture.database
      .transaction(a, async (tx) => {
        const results = await Promise.allSettled([
          tx.query('SELECT 1 AS n'),
          tx.query('SELECT nothing'),
          tx.query('SELECT 2'),
        ]);
        throw Object.assign(new Error('look'), { results });
      })
      .catch((error: { results: PromiseSettledResult<unknown>[] }) => error.results);
    expect(outcomes.map((outcome) => outcome.status)).toEqual(['fulfilled', 'rejected', 'rejected']);
  });

  it('rejects when the error of a statement was swallowed', async () => {
    const swallowed = fixture.database.transaction(a, async (tx) => {
      await insertNote(tx, 'half');
      await tx.query('SELECT 1/0').catch(() => undefined);
      return 'done';
    });
    await expect(swallowed).rejects.toThrow('Nothing was committed');
    expect(await countOf(a, 'half')).toBe(0);
  });

  it('rejects a statement after its end', async () => {
    let kept: TenantTransaction | undefined;
    await fixture.database.transaction(a, async (tx) => {
      kept = tx;
    });
    await expect(kept?.query('SELECT 1')).rejects.toThrow('The transaction is over');
    expect(() => kept?.manager).toThrow('The transaction is over');
  });

  it('runs its callbacks after the commit, and only if it commits', async () => {
    const calls: string[] = [];
    await fixture.database.transaction(a, async (tx) => {
      tx.afterCommit(() => calls.push('committed'));
      await tx.query('SELECT 1');
      expect(calls).toEqual([]);
    });
    await fixture.database
      .transaction(a, async (tx) => {
        tx.afterCommit(() => calls.push('never'));
        throw new Error('no');
      })
      .catch(() => undefined);
    expect(calls).toEqual(['committed']);
  });

  it('stays committed when a callback throws afterwards', async () => {
    const done = fixture.database.transaction(a, async (tx) => {
      tx.afterCommit(() => {
        throw new Error('too late');
      });
      return 'done';
    });
    await expect(done).resolves.toBe('done');
  });

  it('sends what is issued in one turn in one write, with BEGIN and the context', async () => {
    const proxy = await startRecordingProxy(new URL(fixture.runtimeUrl));
    const database = fixture.through(proxy.port);
    for (let round = 0; round < 2; round += 1) {
      await database.transaction(a, async (tx) => {
        await Promise.all([tx.query('SELECT 42'), tx.queryPrepared('SELECT $1::int', [43])]);
        await Promise.all([tx.query('SELECT 44'), tx.query('SELECT 45')]);
      });
    }
    const together = [/BEGIN[\s\S]*SET LOCAL app.tenant_id[\s\S]*SELECT 42/, /SELECT 44[\s\S]*SELECT 45/];
    const writes = proxy.sent.filter((write) => /SELECT 4/.test(write));
    expect(writes).toEqual([...together, ...together].map((pattern) => expect.stringMatching(pattern)));
    expect(writes[0]).toMatch(/BEGIN[\s\S]*SET LOCAL app.tenant_id[\s\S]*SELECT \$1::int/);
    await database.close();
    proxy.stop();
  });

  it('rejects with SERVICE_UNAVAILABLE when no connection becomes free in time, and works again afterwards', async () => {
    const held = gate();
    const holders = [1, 2].map(() => fixture.database.transaction(a, () => held.passed));
    await expect(fixture.database.transaction(a, async () => 1)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    held.open();
    await Promise.all(holders);
    expect(await fixture.database.transaction(a, async () => 1)).toBe(1);
    await expect(fixture.database.ping()).resolves.toBeUndefined();
  });

  const run = (...statements: string[]) =>
    fixture.database.transaction(a, async (tx) => {
      for (const statement of statements) await tx.query(statement);
    });
  /** Two transactions wait for each other; rejects as the one that the server gives up. */
  const deadlock = async () => {
    const gates = [gate(), gate()];
    const both = gates.map((own, index) =>
      fixture.database.transaction(a, async (tx) => {
        await tx.query('SELECT pg_advisory_xact_lock($1)', [index]);
        own.open();
        await Promise.all(gates.map(({ passed }) => passed));
        await tx.query('SELECT pg_advisory_xact_lock($1)', [1 - index]);
      }),
    );
    await Promise.any(both);
    return Promise.all(both);
  };
  const temporary = (state: string, code = 'SERVICE_UNAVAILABLE') => ({ code, status: 503, cause: { code: state } });
  const LATE = temporary('57014', 'DEADLINE_EXCEEDED');
  const SAME = `INSERT INTO note (tenant_id, id, text) VALUES ('${a}', gen_random_uuid(), 'same')`;

  it.each<[string, object, () => Promise<unknown>]>([
    ['takes too long', LATE, () => run("SELECT set_config('statement_timeout', '50', true)", 'SELECT pg_sleep(10)')],
    ['is part of a deadlock', temporary('40P01'), deadlock],
    ['repeats a unique value', { code: '23505', constraint: 'note_text_key' }, () => run(SAME, SAME)],
    ['loses its connection', temporary('57P01'), () => run('SELECT pg_terminate_backend(pg_backend_pid())')],
  ])('rejects when a statement %s, and never uses a lost connection again', async (_what, rejection, fail) => {
    await expect(fail()).rejects.toMatchObject(rejection);
    for (let round = 0; round < 4; round += 1) {
      expect(await fixture.database.transaction(a, (tx) => tx.query('SELECT 1 AS one'))).toEqual([{ one: 1 }]);
    }
  });

  it('rejects with SERVICE_UNAVAILABLE when the session is ended while BEGIN is on its way', async () => {
    const applicationName = `ended ${newId()}`;
    const end = 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1';
    const endSession = () => fixture.admin(end, [applicationName]);
    const proxy = await startKeepingProxy(new URL(fixture.runtimeUrl), 'BEGIN', endSession);
    const database = fixture.through(proxy.port, applicationName);
    // Its own statement is only skipped; what failed is BEGIN.
    const ended = database.transaction(a, (tx) => tx.query('SELECT $1::int', [1]));
    const outcome = await ended.catch((error: unknown) => error);
    await database.close();
    proxy.stop();
    expect(outcome).toMatchObject({ code: 'SERVICE_UNAVAILABLE', cause: { code: '57P01' } });
  });
});
