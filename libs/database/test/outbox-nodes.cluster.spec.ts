import { EVENTS } from '@crm/contracts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { appendEvent, NarrowSession, newId, Outbox } from '../src/index.js';
import { type Fixture, gate, startFixture } from './fixture.js';

const user = EVENTS['user.disabled'];
const data = { userId: newId() } as never;

describe('the outbox on the nodes of a cluster', () => {
  let fixture: Fixture;
  let session: NarrowSession;
  let outbox: Outbox;
  /** A tenant of each node, in the order of their sequences. */
  let low = '';
  let high = '';

  const nodeOf = async (tenant: string) => {
    const [row] = await fixture.admin<{ shard: string; host: string; port: number }>(
      `SELECT shardid AS shard, nodename AS host, nodeport AS port FROM pg_dist_placement JOIN pg_dist_node USING (groupid)
        WHERE shardid = get_shard_id_for_distribution_column('outbox', $1::uuid)`,
      [tenant],
    );
    return row as { shard: string; host: string; port: number };
  };
  /** Moves the shard with the tenant's rows to the node of another tenant. */
  const move = async (tenant: string, to: string) => {
    const [from, target] = [await nodeOf(tenant), await nodeOf(to)];
    await fixture.admin(
      `SELECT citus_move_shard_placement($1::bigint, $2, $3::integer, $4, $5::integer, shard_transfer_mode => 'block_writes')`,
      [from.shard, from.host, from.port, target.host, target.port],
    );
  };
  const tenantOn = async (port: number | undefined) => {
    for (;;) {
      const tenant = newId();
      if ((await nodeOf(tenant)).port === port) return tenant;
    }
  };
  const append = (tenantId: string, ...subjects: string[]) =>
    fixture.database.transaction(tenantId, async (tx) => {
      for (const subject of subjects) await appendEvent(tx, user, { subject, data });
    });
  const appendSlowly = async (tenantId: string, subject: string) => {
    const [inserted, mayCommit] = [gate(), gate()];
    const slow = fixture.database.transaction(tenantId, async (tx) => {
      await appendEvent(tx, user, { subject, data });
      // An event leaves before the next statement.
      await tx.query('SELECT 1');
      inserted.open();
      await mayCommit.passed;
    });
    await inserted.passed;
    return () => {
      mayCommit.open();
      return slow;
    };
  };
  const open = async () => {
    // A shard may move for longer than a silent session lives.
    session = await NarrowSession.open(fixture.database.config, { silenceSeconds: 120 });
    outbox = await Outbox.open(session, fixture.database.config);
  };
  const close = async () => {
    await outbox.close();
    await session.close();
  };
  /** @returns subjects of what was published */
  const publish = async (limit = 100) => {
    const events = await outbox.claimBatch(limit);
    outbox.acknowledged(events);
    return events.map(({ envelope }) => JSON.parse(envelope).subject as string);
  };
  const ranges = async () => {
    await outbox.mark();
    const [row] = await fixture.admin<{ ranges: string }>(
      `SELECT count(*) AS ranges
         FROM (SELECT published FROM outbox_position ORDER BY since DESC LIMIT 1) AS last, unnest(last.published)`,
    );
    return Number(row?.ranges);
  };

  beforeAll(async () => {
    fixture = await startFixture();
  });
  beforeEach(async () => {
    await fixture.admin('TRUNCATE outbox, outbox_position');
    const ports = await fixture.admin<{ port: number }>(
      `SELECT nodeport AS port FROM pg_dist_node WHERE shouldhaveshards ORDER BY groupid`,
    );
    low = await tenantOn(ports[0]?.port);
    high = await tenantOn(ports[1]?.port);
    await open();
  });
  afterEach(close);
  afterAll(() => fixture.drop());

  it('publishes what lies on every node, and each event once', async () => {
    await append(low, 'low 1', 'low 2');
    await append(high, 'high 1');
    expect((await outbox.lag()).waiting).toBe(3);
    expect((await publish()).sort()).toEqual(['high 1', 'low 1', 'low 2']);
    await append(low, 'low 3');
    expect(await publish()).toEqual(['low 3']);
    await outbox.mark();
    await close();
    await open();
    expect(await publish()).toEqual([]);
  });

  it('gives each node its turn when more waits than a batch takes', async () => {
    for (const number of [1, 2, 3]) {
      await append(low, `low ${number}`);
      await append(high, `high ${number}`);
    }
    const batches = [await publish(2), await publish(2), await publish(2)];
    expect(new Set(batches[0]?.concat(batches[1] ?? []))).toEqual(new Set(['low 1', 'low 2', 'high 1', 'high 2']));
    expect(batches[2]?.sort()).toEqual(['high 3', 'low 3']);
  });

  it.each(['higher', 'lower'])('keeps the order of a tenant that moves to a node with %s numbers', async (numbers) => {
    const [tenant, other] = numbers === 'higher' ? [low, high] : [high, low];
    await append(tenant, '1', '2', '3');
    expect(await publish(1)).toEqual(['1']);
    await move(tenant, other);
    await append(tenant, '4');
    await outbox.settleGaps();
    expect([await publish(1), await publish(1), await publish(1), await publish(1)]).toEqual([['2'], ['3'], ['4'], []]);
    await append(tenant, '5');
    expect(await publish()).toEqual(['5']);
  });

  it('finds what was moved before it was opened', async () => {
    await append(high, '1');
    await append(high, '2');
    await publish(1);
    await outbox.mark();
    await close();
    await move(high, low);
    await append(high, '3');
    await open();
    expect(await publish()).toEqual(['2', '3']);
  });

  it('does not take an event for rolled back whose shard moved away between its commit and the next claim', async () => {
    const commit = await appendSlowly(low, 'slow');
    await append(low, 'quick');
    expect(await publish()).toEqual(['quick']);
    await outbox.settleGaps();
    await outbox.settleGaps();
    await commit();
    await move(low, high);
    await outbox.settleGaps();
    await outbox.settleGaps();
    expect(await publish()).toEqual(['slow']);
  });

  it('forgets the gaps that were rolled back on a node', async () => {
    for (const subject of ['1', '2']) {
      const rolledBack = fixture.database.transaction(high, async (tx) => {
        await appendEvent(tx, user, { subject: 'rolled back', data });
        await tx.query('SELECT 1');
        throw new Error('no');
      });
      await expect(rolledBack).rejects.toThrow('no');
      await append(high, subject);
    }
    expect(await publish()).toEqual(['1', '2']);
    const before = await ranges();
    await outbox.settleGaps();
    await outbox.settleGaps();
    await append(high, '3');
    expect(await publish()).toEqual(['3']);
    // None of the coordinator, one of the node.
    expect([before, await ranges()]).toEqual([3, 2]);
  });

  it('goes on with the other nodes while one ends its sessions', async () => {
    expect(await publish()).toEqual([]);
    await fixture.admin(`SELECT run_command_on_workers($$
      SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
       WHERE datname = current_database() AND usename LIKE '%\\_narrow' AND query LIKE '%gap%' $$)`);
    await append(low, 'low');
    await append(high, 'high');
    const published: string[] = [];
    while (published.length < 2) published.push(...(await publish()));
    expect(published.sort()).toEqual(['high', 'low']);
  });
});
