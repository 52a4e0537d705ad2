import { ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

/**
 * Of when a proof is: until when one that was looked at before a session opens leads to one, and at which time somebody proved
 * at an identity provider who they are.
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
  }
}
