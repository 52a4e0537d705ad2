import { DATABASES } from '@crm/contracts';
import { ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

const { narrowRole, runtimeRole } = DATABASES['webhook-dispatcher'];

/** What each process has to know of receivers, and of its deliveries, before it decides on one. */
export class SharedByProcesses1795800001503 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    // A claim says which version of the subscription its delivery belongs to.
    await runner.query(`ALTER TABLE webhook_subscription
      ADD COLUMN version integer NOT NULL DEFAULT 1,
      ADD COLUMN paused_until timestamptz`);
    await runner.query('ALTER TABLE app_secret ADD COLUMN version integer NOT NULL DEFAULT 1');
    await runner.query(`GRANT SELECT (app_key, version, rate_limit, rate_reserved_until, paused_until)
      ON webhook_subscription TO ${narrowRole}`);
    // Answers by which the receiver asked for fewer requests do not use up the attempts of a delivery.
    await runner.query('ALTER TABLE due_delivery ADD COLUMN throttled integer NOT NULL DEFAULT 0');
    await runner.query('ALTER TABLE ordered_delivery ADD COLUMN stored_at timestamptz');
    // What a 410 ends is written with the disabling of the subscription, in the transaction of the tenant.
    await runner.query(`GRANT INSERT ON delivery, event_body, delivery_attempt TO ${runtimeRole}`);
    await runner.query(`GRANT DELETE ON due_delivery TO ${runtimeRole}`);
  }
}
