import { ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

/** What a challenge is for, and pending sign-ins that are found by their user. */
export class ChallengePurpose1795800000821 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    // The default is for processes of the previous version. It is safe for what they add: a challenge of a sign-in by password
    // is the one that is looked at most closely.
    await runner.query(`
      ALTER TABLE mfa_challenge
        ADD COLUMN purpose text NOT NULL DEFAULT 'sign-in'
          CHECK (purpose IN ('sign-in', 'single-sign-on', 'reauthentication'))`);
    await runner.query(
      'CREATE INDEX provider_sign_in_user_idx ON provider_sign_in (tenant_id, user_id) WHERE user_id IS NOT NULL',
    );
  }
}
