import { ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

/** The trace that an event belongs to, of the few that are recorded, so that its later attempts are recorded in it. */
export class EventTraces1795600000001 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE event_body ADD COLUMN traceparent text');
  }
}
