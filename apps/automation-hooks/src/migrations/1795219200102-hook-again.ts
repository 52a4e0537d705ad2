import { DATABASES } from '@crm/contracts';
import { ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

/**
 * A workflow may be given a hook again, over the row that a failed or an earlier one left. The tenant of a row stays: the
 * narrow role may write the hash and nothing else.
 */
export class HookAgain1795219200102 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    const { narrowRole } = DATABASES['automation-hooks'];
    await runner.query(`GRANT update (secret_hash) ON hook TO ${narrowRole}`);
    await runner.query(
      `CREATE POLICY narrow_update ON hook FOR update TO ${narrowRole} USING (true) WITH CHECK (true)`,
    );
  }
}
