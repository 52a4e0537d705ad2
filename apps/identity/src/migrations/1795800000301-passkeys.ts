import { DATABASES } from '@crm/contracts';
import { createTenantTable, ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

const roles = DATABASES.identity;

export class Passkeys1795800000301 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await createTenantTable(runner, roles, {
      name: 'passkey',
      unique: [['credential_id']],
      columns: `
        id uuid NOT NULL,
        user_id uuid NOT NULL,
        credential_id bytea NOT NULL,
        public_key bytea NOT NULL,
        counter bigint NOT NULL,
        backed_up boolean NOT NULL,
        transports text[] NOT NULL,
        name text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        last_used_at timestamptz`,
      indexes: ['user_id'],
    });
    await createTenantTable(runner, roles, {
      name: 'spent_passkey_challenge',
      columns: 'id uuid NOT NULL, expires_at timestamptz NOT NULL',
      indexes: [{ columns: 'expires_at', tenantFirst: false }],
      // The sweeper deletes expired ones.
      narrow: ['select', 'delete'],
    });
    await runner.query(`
      ALTER TABLE mfa_challenge
        DROP CONSTRAINT mfa_challenge_method_check,
        ADD CONSTRAINT mfa_challenge_method_check
          CHECK (method IN ('mail', 'authenticator', 'enrolment', 'passkey'))`);
  }
}
