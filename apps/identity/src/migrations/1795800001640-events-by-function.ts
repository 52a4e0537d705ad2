import { DATABASES } from '@crm/contracts';
import { appendEventsByFunction, ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

export class EventsByFunction1795800001640 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await appendEventsByFunction(runner, DATABASES.identity);
  }
}
