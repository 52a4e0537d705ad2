import { counter } from '@crm/telemetry';
import { ClusterNode, isCluster, type NodeAddress } from '../cluster/cluster-node.js';
import type { DatabaseConfig } from '../pool.js';
import type { PreparedQueryable } from '../transaction.js';
import { claimEventsOf, LIST_WRITERS, measureOutboxOf } from './outbox.sql.js';
import { blockOf, type Gaps, LAST_BLOCK, splitAtBlock } from './published-seqs.js';

/** A transaction that is open, and whether it is prepared. */
export interface Writer {
  readonly writer: string;
  readonly prepared: boolean;
}

/** The driver's row: a bigint is a text. */
export interface EventRow {
  readonly seq: string;
  readonly tenantId: string;
  readonly id: string;
  readonly subject: string;
  readonly envelope: string;
}

export interface LagRow {
  readonly waiting: string;
  readonly oldest: string | null;
}

interface NodeRow extends NodeAddress {
  readonly group: number;
  readonly shards: readonly string[];
}

/** Which shards of the outbox lie on which node. */
const LIST_NODES = `
  SELECT node.groupid AS "group", node.nodename AS host, node.nodeport AS port,
         array_agg(shard_name(logicalrelid, shardid) ORDER BY shardid) AS shards
    FROM pg_dist_shard JOIN pg_dist_placement USING (shardid) JOIN pg_dist_node AS node USING (groupid)
   WHERE logicalrelid = 'outbox'::regclass AND shardstate = 1 AND node.noderole = 'primary'
   GROUP BY 1, 2, 3 ORDER BY 1`;

const failures = counter('outbox_node_failures_total', 'Times that a node of the cluster did not answer the relay');

/** A node of a cluster and the shards of the outbox on it, which its session reads there. */
class OutboxNode extends ClusterNode {
  /** True when events may lie here that were written on another node, before their shard was moved. */
  private hasForeign = true;
  private readonly claimStatement: string;
  private readonly measureStatement: string;

  constructor(
    readonly row: NodeRow,
    config: DatabaseConfig,
  ) {
    super(row, config, failures);
    this.claimStatement = claimEventsOf(row.shards, row.group);
    this.measureStatement = measureOutboxOf(row.shards);
  }

  async claim(gaps: Gaps, limit: number): Promise<EventRow[]> {
    const { inside, outside } = splitAtBlock(gaps, this.row.group);
    const { hasForeign } = this;
    const after = hasForeign ? [...outside.after, ...inside.after] : inside.after;
    const before = hasForeign ? [...outside.before, ...inside.before] : inside.before;
    const rows = await this.ask<EventRow>(this.claimStatement, [after, before, limit]);
    // They come first.
    if (rows) this.hasForeign = rows.some(({ seq }) => blockOf(Number(seq)) !== this.row.group);
    return rows ?? [];
  }

  async find(gaps: Gaps, limit: number): Promise<EventRow[]> {
    return (await this.ask<EventRow>(this.claimStatement, [gaps.after, gaps.before, limit])) ?? [];
  }

  /** An event of a node that does not answer may wait since then. */
  async lag({ after, before }: Gaps): Promise<LagRow[]> {
    const rows = await this.ask<LagRow>(this.measureStatement, [after, before]);
    return rows ?? [{ waiting: '1', oldest: String(this.silentMs / 1_000) }];
  }

  async writers(): Promise<Writer[] | undefined> {
    const rows = await this.ask<Writer>(LIST_WRITERS, []);
    return rows?.map(({ writer, prepared }) => ({ writer: `${this.row.group}:${writer}`, prepared }));
  }
}

/**
 * The nodes of a cluster, each asked for the events of its own shards. Marks and the lock stay on the coordinator, so that
 * there is one relay, and what is published is known for every node (decision record 0245).
 */
export class OutboxNodes {
  private constructor(
    private readonly coordinator: PreparedQueryable,
    private readonly config: DatabaseConfig,
    private nodes: readonly OutboxNode[],
  ) {}

  /** @returns undefined when the database is not distributed */
  static async find(coordinator: PreparedQueryable, config: DatabaseConfig): Promise<OutboxNodes | undefined> {
    if (!(await isCluster(coordinator))) return undefined;
    const nodes = new OutboxNodes(coordinator, config, []);
    await nodes.look();
    // None has a part of a table that is not distributed.
    return nodes.nodes.length > 0 ? nodes : undefined;
  }

  /** Notices shards that were moved: until then they are read where they were, afterwards where they are. */
  async look(): Promise<void> {
    const rows = await this.coordinator.queryPrepared<NodeRow>(LIST_NODES, []);
    const known = new Map(this.nodes.map((node) => [JSON.stringify(node.row), node]));
    const nodes = rows.map((row) => {
      if (row.group > LAST_BLOCK) throw new Error(`The outbox takes nodes up to group ${LAST_BLOCK}, not ${row.group}`);
      return known.get(JSON.stringify(row)) ?? new OutboxNode(row, this.config);
    });
    const gone = this.nodes.filter((node) => !nodes.includes(node));
    this.nodes = nodes;
    await Promise.all(gone.map((node) => node.close()));
  }

  /** Claims the oldest of each node; those of one tenant all lie on one. */
  async claim(gaps: Gaps, limit: number): Promise<EventRow[]> {
    const rows = (await Promise.all(this.nodes.map((node) => node.claim(gaps, limit)))).flat();
    // Next time another node comes first.
    this.nodes = [...this.nodes.slice(1), ...this.nodes.slice(0, 1)];
    return rows.slice(0, limit);
  }

  async find(gaps: Gaps, limit: number): Promise<EventRow[]> {
    return (await Promise.all(this.nodes.map((node) => node.find(gaps, limit)))).flat();
  }

  /** Returns whether a node does not answer, so that nobody knows whether events wait there. */
  get areSilent(): boolean {
    return this.nodes.some(({ isSilent }) => isSilent);
  }

  async lag(gaps: Gaps): Promise<LagRow[]> {
    return (await Promise.all(this.nodes.map((node) => node.lag(gaps)))).flat();
  }

  /** @returns undefined when a node did not say */
  async writers(): Promise<Writer[] | undefined> {
    const answers = await Promise.all(this.nodes.map((node) => node.writers()));
    return answers.includes(undefined) ? undefined : answers.flatMap((rows) => rows ?? []);
  }

  async close(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.close()));
  }
}
