import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { newId, type TenantTransaction } from '../src/index.js';
import { type Fixture, startFixture, startRecordingProxy } from './fixture.js';

const INSERT = 'INSERT INTO note (tenant_id, id, text) VALUES ($1, $2, $3)';
/** Cannot be sent: it refers to itself. */
const CIRCULAR: Record<string, unknown> = {};
CIRCULAR.self = CIRCULAR;

describe('statements that leave together', () => {
  let fixture: Fixture;
  const tenant = newId();
  const inserted = (tx: TenantTransaction, text: string): [string, unknown[]] => [INSERT, [tx.tenantId, newId(), text]];

  beforeAll(async () => {
    // One connection, so that each transaction finds the prepared statements of the one before.
    fixture = await startFixture({ poolSize: 1 });
  });
  afterEach(() => fixture.admin('DELETE FROM note'));
  afterAll(() => fixture.drop());

  const texts = async () =>
    (await fixture.admin<{ text: string }>('SELECT text FROM note ORDER BY text')).map(({ text }) => text);

  it('are one write from BEGIN to COMMIT when nothing is waited for', async () => {
    const proxy = await startRecordingProxy(new URL(fixture.runtimeUrl));
    const database = fixture.through(proxy.port);
    await database.transaction(tenant, async (tx) => {
      tx.issue(...inserted(tx, 'first'));
      tx.issue(...inserted(tx, 'second'));
    });
    const writes = proxy.sent.filter((write) => /BEGIN|INSERT|COMMIT/.test(write));
    expect(writes).toEqual([expect.stringMatching(/BEGIN[\s\S]*SET LOCAL[\s\S]*first[\s\S]*second[\s\S]*COMMIT/)]);
    expect(await texts()).toEqual(['first', 'second']);
    await database.close();
    proxy.stop();
  });

  it('give their rows after the commit that left with them', async () => {
    let row: Promise<unknown[]> | undefined;
    await fixture.database.transaction(tenant, async (tx) => {
      tx.issue(...inserted(tx, 'only'));
      row = tx.issueReturning('SELECT text FROM note WHERE tenant_id = $1', [tx.tenantId]);
    });
    expect(await row).toEqual([{ text: 'only' }]);
    const failing = fixture.database.transaction(tenant, async (tx) => {
      void tx.issueReturning('SELECT 1 / $1::int', [0]);
    });
    await expect(failing).rejects.toThrow('division by zero');
  });

  it('commit nothing when one that nobody waits for fails, and the transaction rejects with its error', async () => {
    const failing = fixture.database.transaction(tenant, async (tx) => {
      tx.issue(...inserted(tx, 'before'));
      tx.issue('SELECT 1 / $1::int', [0]);
      tx.issue(...inserted(tx, 'after'));
      return 'done';
    });
    await expect(failing).rejects.toThrow('division by zero');
    expect(await texts()).toEqual([]);
  });

  it('return to each what it asked for, also when one in the middle has no rows', async () => {
    const answers = await fixture.database.transaction(tenant, (tx) =>
      Promise.all([
        tx.query('SELECT $1::int AS n', [1]),
        tx.queryPrepared(...inserted(tx, 'x')),
        tx.query('SELECT 2 AS n'),
        tx.queryPrepared('SELECT $1::text AS t UNION ALL SELECT $1', ['y']),
      ]),
    );
    expect(answers).toEqual([[{ n: 1 }], [], [{ n: 2 }], [{ t: 'y' }, { t: 'y' }]]);
  });

  it('send nothing behind a value that cannot be converted, a COMMIT least of all', async () => {
    const failing = fixture.database.transaction(tenant, async (tx) => {
      tx.issue(...inserted(tx, 'before'));
      tx.issue(INSERT, [tx.tenantId, newId(), CIRCULAR]);
      tx.issue(...inserted(tx, 'after'));
    });
    await expect(failing).rejects.toThrow('circular');
    expect(await texts()).toEqual([]);
    await fixture.database.transaction(tenant, async (tx) => tx.issue(...inserted(tx, 'later')));
    expect(await texts()).toEqual(['later']);
  });

  it('reject with the error of the one that failed, and can be sent again after one was skipped or could not be parsed', async () => {
    const statement = 'SELECT $1::int AS skipped';
    const wrong = 'SELECT nothing WHERE $1';
    for (let round = 0; round < 2; round += 1) {
      const failing = fixture.database.transaction(tenant, async (tx) => {
        tx.issue(wrong, [true]);
        await tx.queryPrepared(statement, [1]);
      });
      await expect(failing).rejects.toThrow('column "nothing" does not exist');
    }
    const rows = await fixture.database.transaction(tenant, (tx) => tx.queryPrepared(statement, [1]));
    expect(rows).toEqual([{ skipped: 1 }]);
  });

  it('reject when the connection is lost before they are answered', async () => {
    const lost = fixture.database.transaction(tenant, async (tx) => {
      tx.issue(...inserted(tx, 'lost'));
      await tx.query('SELECT pg_terminate_backend(pg_backend_pid()) WHERE $1', [true]);
    });
    await expect(lost).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(await texts()).toEqual([]);
    await fixture.database.transaction(tenant, async (tx) => tx.issue(...inserted(tx, 'on another')));
    expect(await texts()).toEqual(['on another']);
  });
});
