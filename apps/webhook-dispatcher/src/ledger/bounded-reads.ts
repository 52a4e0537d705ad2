import { PlatformError } from '@crm/contracts';
import { Database, isExcessive, type NarrowTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { E_TIMEOUT, Semaphore, withTimeout } from 'async-mutex';

/** Until the transaction ends, statements are planned for their values, and end after $1 milliseconds. */
const BOUND_READS = `
  SELECT set_config('plan_cache_mode', 'force_custom_plan', true), set_config('statement_timeout', $1, true)`;

/** The narrow role has four connections, which the pipeline writes on. */
const MOST_AT_ONCE = 1;
/** Milliseconds that a statement may take, and that a read waits for those before it. */
const MOST_MS = 2_000;

/** Bounds the reads of developers over all tenants, so that they take little from the pipeline. */
@Injectable()
export class BoundedReads {
  private readonly slots = withTimeout(new Semaphore(MOST_AT_ONCE), MOST_MS);

  constructor(private readonly database: Database) {}

  /** @throws PlatformError QUERY_TOO_EXPENSIVE for a long statement, SERVICE_UNAVAILABLE when those before it take long */
  async run<T>(work: (tx: NarrowTransaction) => Promise<T>): Promise<T> {
    const release = await this.acquire();
    try {
      return await this.database.crossTenant(async (tx) => {
        // Sent together with the first statement of the work, and before it.
        const [, result] = await Promise.all([tx.queryPrepared(BOUND_READS, [String(MOST_MS)]), work(tx)]);
        return result;
      });
    } catch (error) {
      if (!isExcessive(error)) throw error;
      const detail = `The query takes more than ${MOST_MS / 1000} seconds. Narrow the time range with from and to`;
      throw new PlatformError('QUERY_TOO_EXPENSIVE', detail, { cause: error });
    } finally {
      release();
    }
  }

  private async acquire(): Promise<() => void> {
    try {
      const [, release] = await this.slots.acquire();
      return release;
    } catch (error) {
      if (error !== E_TIMEOUT) throw error;
      throw new PlatformError(
        'SERVICE_UNAVAILABLE',
        'Too many queries over all workspaces are running. Try again shortly',
        {
          retryAfterSeconds: 1,
          cause: error,
        },
      );
    }
  }
}
