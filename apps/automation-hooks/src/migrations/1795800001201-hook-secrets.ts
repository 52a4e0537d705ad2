import { DATABASES } from '@crm/contracts';
import { ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

const { narrowRole } = DATABASES['automation-hooks'];

/** Hooks with two secrets for a time, and when each was made and last used. */
export class HookSecrets1795800001201 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE hook
        ADD COLUMN secret_created_at timestamptz NOT NULL DEFAULT now(),
        ADD COLUMN secret_last_used_at timestamptz,
        ADD COLUMN previous_secret_hash bytea,
        ADD COLUMN previous_secret_created_at timestamptz,
        ADD COLUMN previous_secret_last_used_at timestamptz,
        ADD COLUMN previous_valid_until timestamptz`);
    await runner.query(`
      GRANT update (secret_created_at, secret_last_used_at, previous_secret_hash, previous_secret_created_at,
        previous_secret_last_used_at, previous_valid_until) ON hook TO ${narrowRole}`);
    // A secret is replaced by one statement in both tables, so that the URL that administrators are shown is never a dead one.
    // The narrow role may overwrite what is sealed, and not read it.
    await runner.query(`GRANT select (workflow_id), update (sealed) ON hook_secret TO ${narrowRole}`);
    await runner.query(
      `CREATE POLICY narrow_update ON hook_secret FOR update TO ${narrowRole} USING (true) WITH CHECK (true)`,
    );
  }
}
