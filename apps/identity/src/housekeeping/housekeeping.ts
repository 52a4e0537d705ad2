import { Database } from '@crm/database';
import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';

const INTERVAL_MS = 10 * 60_000;

/** Rows of global tables that nobody can use any more. */
const EXPIRED = [
  'DELETE FROM refresh_token WHERE expires_at < now()',
  'DELETE FROM operator_session WHERE expires_at < now()',
  'DELETE FROM revocation_cutoff WHERE expires_at < now()',
  // A retired key is kept for a month, so that an old token in a report can still be told from a forged one.
  `DELETE FROM signing_key WHERE retires_at < now() - interval '30 days'`,
];

/** Deletes what has expired, at start and every ten minutes. */
@Injectable()
export class Housekeeping implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(Housekeeping.name);
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();

  constructor(private readonly database: Database) {}

  onApplicationBootstrap(): void {
    this.running = this.run();
    this.timer = setInterval(() => {
      this.running = this.running.then(() => this.run());
    }, INTERVAL_MS);
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }

  private async run(): Promise<void> {
    try {
      await this.database.crossTenant(async (tx) => {
        for (const statement of EXPIRED) await tx.query(statement);
      });
    } catch (error) {
      this.logger.error({ msg: 'Expired rows could not be deleted; they are tried again', err: error });
    }
  }
}
