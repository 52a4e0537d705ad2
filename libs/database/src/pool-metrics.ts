import { gauge } from '@crm/telemetry';
import type pg from 'pg';

/** Which role the connections are of. */
type PoolName = 'runtime' | 'narrow';

interface MeasuredPool {
  readonly name: PoolName;
  readonly pool: pg.Pool;
  readonly size: number;
}

const measured = new Set<MeasuredPool>();

/** The sum over the pools of that name: tests have several databases in a process. */
function sums(numberOf: (of: MeasuredPool) => number): Map<PoolName, number> {
  const byName = new Map<PoolName, number>();
  for (const one of measured) byName.set(one.name, (byName.get(one.name) ?? 0) + numberOf(one));
  return byName;
}

// Asked for at each scrape: the pools count by themselves, so that nothing is added to a statement.
gauge(
  'database_pool_connections',
  'Open connections to the database, in use or idle',
  ['pool', 'state'],
  (connections) => {
    connections.reset();
    for (const [pool, idle] of sums((one) => one.pool.idleCount)) connections.set({ pool, state: 'idle' }, idle);
    for (const [pool, used] of sums((one) => one.pool.totalCount - one.pool.idleCount)) {
      connections.set({ pool, state: 'in_use' }, used);
    }
  },
);
gauge(
  'database_pool_waiting',
  'Transactions and statements that wait for a connection of the pool',
  ['pool'],
  (waiting) => {
    waiting.reset();
    for (const [pool, count] of sums((one) => one.pool.waitingCount)) waiting.set({ pool }, count);
  },
);
gauge('database_pool_size', 'Connections that the pool may open', ['pool'], (sizes) => {
  sizes.reset();
  for (const [pool, size] of sums((one) => one.size)) sizes.set({ pool }, size);
});

/**
 * Shows a pool in the metrics.
 * @returns ends that, when the pool is closed
 */
export function measurePool(name: PoolName, pool: pg.Pool, size: number): () => void {
  const entry = { name, pool, size };
  measured.add(entry);
  return () => {
    measured.delete(entry);
  };
}
