import { ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

/** Those of before speak for the person, as they have done. */
export class FactorOfPerson1795800011761 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE authenticator ADD COLUMN person_proven boolean NOT NULL DEFAULT true');
  }
}
