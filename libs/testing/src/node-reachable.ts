import pg from 'pg';
import type { TestDatabase } from './test-database.js';

/** Takes a node of the cluster away, or brings it back: nobody reaches the database there. @param port of the node */
export async function setNodeReachable(
  { url }: Pick<TestDatabase['config'], 'url'>,
  port: number,
  isReachable: boolean,
): Promise<void> {
  const { hostname: host, pathname } = new URL(url);
  const database = pathname.slice(1);
  const node = new pg.Client({ host, port, user: 'postgres', database: 'postgres' });
  await node.connect();
  try {
    await node.query(`ALTER DATABASE ${database} WITH ALLOW_CONNECTIONS ${isReachable}`);
    if (isReachable) return;
    await node.query('SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = $1', [database]);
  } finally {
    await node.end();
  }
}
