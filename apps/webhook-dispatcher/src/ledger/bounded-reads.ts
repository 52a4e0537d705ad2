import { PlatformError } from '@crm/contracts';
import { Database, isExcessive, type NarrowTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { E_TIMEOUT, Semaphore, withTimeout } from 'async-mutex';
import { BOUND_READS } from './app-ledger.sql.js';

/** Of the four connections of the narrow role, which the pipeline writes with. */
const AT_ONCE = 1;
/** Milliseconds that a statement may take, and that a read waits for those before it. */
const MOST_MS = 2_000;

/** Runs what developers read over all tenants so that it takes little from the pipeline. */
@Injectable()
export class BoundedReads {
  private readonly places = withTimeout(new Semaphore(AT_ONCE), MOST_MS);

  constructor(private readonly database: Database) {}

  /**
   * Runs the work in a transaction of the narrow role whose statements are planned for their values and ended after two
   * seconds; one at a time in this process.
   * @throws PlatformError QUERY_TOO_EXPENSIVE when a statement takes longer, SERVICE_UNAVAILABLE when those before it do not
   *   end within two seconds
   */
  async run<T>(work: (tx: NarrowTransaction) => Promise<T>): Promise<T> {
    const leave = await this.enter();
    try {
      return await this.database.crossTenant(async (tx) => {
        // Sent together with the first statement of the work, and before it.
        const [, result] = await Promise.all([tx.queryPrepared(BOUND_READS, [String(MOST_MS)]), work(tx)]);
        return result;
      });
    } catch (error) {
      if (!isExcessive(error)) throw error;
      const detail = `The query takes more than ${MOST_MS / 1000} seconds; ask for a shorter time, with from and to`;
      throw new PlatformError('QUERY_TOO_EXPENSIVE', detail, { cause: error });
    } finally {
      leave();
    }
  }

  private async enter(): Promise<() => void> {
    try {
      const [, leave] = await this.places.acquire();
      return leave;
    } catch (error) {
      if (error !== E_TIMEOUT) throw error;
      throw new PlatformError('SERVICE_UNAVAILABLE', 'Too many queries over all workspaces are running', {
        retryAfterSeconds: 1,
        cause: error,
      });
    }
  }
}
