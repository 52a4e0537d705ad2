import { ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

/**
 * Of when a proof is: until when one that was looked at before a session opens leads to one, and at which time somebody proved
 * at an identity provider who they are. And that service accounts act.
 */
export class Proofs1795800001001 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    for (const holders of ['app_user', 'operator']) {
      await runner.query(`ALTER TABLE ${holders} ADD COLUMN sign_in_epoch integer NOT NULL DEFAULT 0`);
    }
    // The defaults are for processes of the previous version, which know no epochs: what they add counts for accounts of which
    // nothing was ended since, and as a proof of which nobody knows the time.
    await runner.query(`
      ALTER TABLE mfa_challenge
        ADD COLUMN sign_in_epoch integer NOT NULL DEFAULT 0,
        ADD COLUMN authenticated_at timestamptz`);
    await runner.query(`
      ALTER TABLE provider_sign_in
        ADD COLUMN fresh boolean NOT NULL DEFAULT false,
        ADD COLUMN session_id uuid,
        ADD COLUMN sign_in_epoch integer NOT NULL DEFAULT 0,
        ADD COLUMN authenticated_at timestamptz`);
    await this.knowServiceAccounts(runner);
  }

  /** As who has acted. Not validated: a trail is large, and what is in it satisfies the narrower check that there was. */
  private async knowServiceAccounts(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE audit_entry DROP CONSTRAINT audit_entry_actor_kind_check,
        ADD CONSTRAINT audit_entry_actor_kind_check
          CHECK (actor_kind IN ('user', 'service_account', 'operator', 'app', 'system')) NOT VALID`);
  }
}
