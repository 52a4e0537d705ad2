import { counter } from '@crm/telemetry';
import { Logger } from '@nestjs/common';
import type { DatabaseConfig } from '../pool.js';
import type { NarrowTransaction } from '../transaction.js';
import { ClusterNode, isCluster, type NodeAddress } from './cluster-node.js';

/** Names each table by `table`: on a cluster it is one of the parts of the table, which have the rows of the same tenants. */
export type ReadOfEveryTenant = (table: (name: string) => string) => string;

/** Lists for each node the parts of each table there: each element has those with the rows of the same tenants. */
const LIST_SHARDS = `
  SELECT node.nodename AS host, node.nodeport AS port, array_agg(part.names ORDER BY part.lowest) AS shards
    FROM (SELECT groupid, shardminvalue::integer AS lowest,
                 json_object_agg(logicalrelid::text, shard_name(logicalrelid, shardid)) AS names
            FROM pg_dist_shard JOIN pg_dist_placement USING (shardid) JOIN pg_class AS class ON class.oid = logicalrelid
           WHERE shardstate = 1 AND shardminvalue IS NOT NULL AND NOT class.relispartition
           GROUP BY 1, 2) AS part
    JOIN pg_dist_node AS node USING (groupid)
   WHERE node.noderole = 'primary'
   GROUP BY 1, 2 ORDER BY 1, 2`;

/** Milliseconds after which it is looked again where the shards lie: what is found in one that has moved away is old. */
const LOOK_MS = 5_000;

const failures = counter(
  'database_node_failures_total',
  'Times that a node of the cluster did not answer when the work of every tenant was looked for',
);

interface NodeRow extends NodeAddress {
  readonly shards: readonly Readonly<Record<string, string>>[];
}

class WorkNode extends ClusterNode {
  private readonly texts = new Map<ReadOfEveryTenant, string>();

  constructor(
    readonly row: NodeRow,
    config: DatabaseConfig,
  ) {
    super(row, config, failures);
  }

  read<Row>(statement: ReadOfEveryTenant, parameters: readonly unknown[]): Promise<Row[] | undefined> {
    let text = this.texts.get(statement);
    if (text === undefined) {
      const parts = this.row.shards.map((names) => `(${statement((table) => names[table] ?? table)})`);
      text = parts.join('\nUNION ALL\n');
      this.texts.set(statement, text);
    }
    return this.ask<Row>(text, parameters);
  }
}

/** By tenant, in the order in which rows of several tenants are locked. */
export function byTenant<Item extends { readonly tenantId: string }>(items: readonly Item[]): [string, Item[]][] {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(item.tenantId);
    if (group) group.push(item);
    else groups.set(item.tenantId, [item]);
  }
  return [...groups].sort(([one], [other]) => (one < other ? -1 : 1));
}

/** What of `Database` this uses; all of it as the narrow role. */
interface NarrowRole {
  readonly config: DatabaseConfig;
  crossTenant<T>(work: (tx: NarrowTransaction) => Promise<T>): Promise<T>;
  crossTenantStatement<Row>(sql: string, parameters: readonly unknown[]): Promise<Row[]>;
}

/**
 * Work for every tenant, as the narrow role: it is looked for wherever rows lie, and done for one tenant after another. On a
 * cluster a node that is away keeps its own tenants' work from being done, and no other.
 */
export class EveryTenant {
  private readonly logger = new Logger('EveryTenant');
  private distributed: boolean | undefined;
  private nodes: readonly WorkNode[] = [];
  private lookedAt = 0;
  private looking: Promise<void> | undefined;

  constructor(private readonly role: NarrowRole) {}

  /** Returns whether the tables of tenants lie on the nodes of a cluster, where a statement is of one tenant. */
  async isDistributed(): Promise<boolean> {
    this.distributed ??= await this.role.crossTenant(isCluster);
    return this.distributed;
  }

  get isKnownAsDistributed(): boolean {
    return this.distributed === true;
  }

  /** On a cluster each part of a table gives its rows, in its own order and limit; nodes that do not answer give none. */
  async read<Row>(statement: ReadOfEveryTenant, parameters: readonly unknown[] = []): Promise<Row[]> {
    if (!(await this.isDistributed())) {
      return this.role.crossTenantStatement<Row>(
        statement((table) => table),
        parameters,
      );
    }
    await this.look();
    const answers = await Promise.all(this.nodes.map((node) => node.read<Row>(statement, parameters)));
    return answers.flatMap((rows) => rows ?? []);
  }

  /**
   * Calls a function of one tenant for several, in the order of `byTenant`: in one transaction, or on a cluster each in its own.
   * @returns the rows of all that succeeded @throws what failed first when none did
   */
  async call<Row>(sql: string, calls: readonly (readonly unknown[])[]): Promise<Row[]> {
    if (calls.length === 0) return [];
    if (!(await this.isDistributed())) {
      return (
        await this.role.crossTenant((tx) => Promise.all(calls.map((call) => tx.issueReturning<Row>(sql, call))))
      ).flat();
    }
    const outcomes = await Promise.allSettled(calls.map((call) => this.role.crossTenantStatement<Row>(sql, call)));
    const failed = outcomes.filter((outcome) => outcome.status === 'rejected');
    if (failed.length === outcomes.length) throw failed[0]?.reason;
    for (const { reason } of failed) this.logger.warn({ msg: 'The work of a tenant waits', err: reason });
    return outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []));
  }

  async close(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.close()));
  }

  private async look(): Promise<void> {
    if (Date.now() - this.lookedAt < LOOK_MS) return;
    this.looking ??= this.findNodes().finally(() => {
      this.looking = undefined;
    });
    await this.looking;
  }

  private async findNodes(): Promise<void> {
    const rows = await this.role.crossTenantStatement<NodeRow>(LIST_SHARDS, []);
    const known = new Map(this.nodes.map((node) => [JSON.stringify(node.row), node]));
    const nodes = rows.map((row) => known.get(JSON.stringify(row)) ?? new WorkNode(row, this.role.config));
    const gone = this.nodes.filter((node) => !nodes.includes(node));
    this.nodes = nodes;
    this.lookedAt = Date.now();
    await Promise.all(gone.map((node) => node.close()));
  }
}
