import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { NarrowSession } from '../narrow-session.js';
import type { DatabaseConfig } from '../pool.js';
import type { PreparedQueryable } from '../transaction.js';

/** On one server the tables of Citus are not there. */
const IS_CLUSTER = "SELECT to_regclass('pg_catalog.pg_dist_shard') IS NOT NULL AS found";

export async function isCluster(connection: PreparedQueryable): Promise<boolean> {
  const [row] = await connection.queryPrepared<{ found: boolean }>(IS_CLUSTER, []);
  return row?.found === true;
}

/** A node that takes longer is left out until it has answered, so that what others have does not wait for it. */
const PATIENCE_MS = 1_000;
const RETRY_MS = 1_000;

export interface NodeAddress {
  readonly host: string;
  readonly port: number;
}

/** A node of a cluster, which the narrow role asks for what lies there, in statements about its shards. */
export class ClusterNode {
  private readonly logger = new Logger('ClusterNode');
  private readonly config: DatabaseConfig;
  private session: Promise<NarrowSession> | undefined;
  private isLate = false;
  private retryAt = 0;
  private silentSince: number | undefined;
  private closed = false;

  /** @param failures is increased when it does not answer */
  constructor(
    private readonly address: NodeAddress,
    config: DatabaseConfig,
    private readonly failures: { inc(): void },
  ) {
    const url = Object.assign(new URL(config.narrowUrl), { hostname: address.host, port: String(address.port) });
    this.config = { ...config, narrowUrl: url.toString() };
  }

  get isSilent(): boolean {
    return this.silentSince !== undefined;
  }

  /** For how long it has not answered. */
  get silentMs(): number {
    return Date.now() - (this.silentSince ?? Date.now());
  }

  /** @returns undefined when it does not answer in time */
  async ask<Row>(sql: string, parameters: readonly unknown[]): Promise<Row[] | undefined> {
    if (this.isLate || Date.now() < this.retryAt) return undefined;
    let isAnswered = false;
    const answer = this.answer<Row>(sql, parameters).finally(() => {
      isAnswered = true;
      this.isLate = false;
    });
    const patience = new AbortController();
    const late = delay(PATIENCE_MS, undefined, { signal: patience.signal, ref: false }).catch(() => undefined);
    try {
      const rows = await Promise.race([answer, late]);
      this.isLate ||= !isAnswered;
      return rows;
    } finally {
      patience.abort();
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.end();
  }

  private async answer<Row>(sql: string, parameters: readonly unknown[]): Promise<Row[] | undefined> {
    if (this.closed) return undefined;
    this.session ??= NarrowSession.open(this.config);
    const { session } = this;
    try {
      const rows = await (await session).queryPrepared<Row>(sql, parameters);
      this.silentSince = undefined;
      return rows;
    } catch (error) {
      const { host, port } = this.address;
      this.failures.inc();
      this.retryAt = Date.now() + RETRY_MS;
      this.silentSince ??= Date.now();
      this.logger.warn(`Node ${host}:${port} does not answer: ${error instanceof Error ? error.message : error}`);
      if (this.session === session) await this.end();
      return undefined;
    }
  }

  private async end(): Promise<void> {
    const { session } = this;
    this.session = undefined;
    // One that could not be opened needs no end; why was told to the one who asked.
    const opened = await session?.catch(() => undefined);
    await opened?.close();
  }
}
