import { ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

/**
 * Service accounts as who has acted. The check is not validated: a trail is large, and what is in it satisfies the narrower one
 * that there was.
 */
export class ServiceAccountActors1795800001002 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE audit_entry DROP CONSTRAINT audit_entry_actor_kind_check,
        ADD CONSTRAINT audit_entry_actor_kind_check
          CHECK (actor_kind IN ('user', 'service_account', 'operator', 'app', 'system')) NOT VALID`);
  }
}
