import { ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

/** Whose policies bind the owner too, and let it see nothing. */
const TABLES = ['app', 'operator_audit'];

/** What an operator has unlisted stays so, and what a publication allows is told to identity once it has happened. */
export class DecisionsInForce1795800000832 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE client_status ALTER COLUMN status DROP NOT NULL,
        ADD COLUMN settings_changed boolean NOT NULL DEFAULT false`);
    await this.keepUnlisted(runner);
  }

  private async keepUnlisted(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE app ADD COLUMN unlisted_by_operator boolean NOT NULL DEFAULT false');
    for (const table of TABLES) await runner.query(`ALTER TABLE ${table} NO FORCE ROW LEVEL SECURITY`);
    // Which apps operators have unlisted is in their trail. One that was published as public since then is unlisted again.
    await runner.query(`
      UPDATE app SET unlisted_by_operator = true,
             visibility = CASE WHEN visibility = 'public' THEN 'unlisted' ELSE visibility END
       WHERE EXISTS (SELECT 1 FROM operator_audit o
                      WHERE o.act = 'app.unlist' AND o.subject_kind = 'app' AND o.subject_id = app.key)`);
    for (const table of TABLES) await runner.query(`ALTER TABLE ${table} FORCE ROW LEVEL SECURITY`);
  }
}
