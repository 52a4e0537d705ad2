import { DATABASES } from '@crm/contracts';
import { createTenantTable, ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';
import { PLATFORM_TENANT } from '../platform-tenant.js';

const roles = DATABASES.identity;

/** One implementation of sessions and second factors for users and operators. */
export class Factors1795700000201 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await this.extendSessions(runner);
    await this.createFactorTables(runner);
    await this.moveOperators(runner);
  }

  private async extendSessions(runner: QueryRunner): Promise<void> {
    // Sessions from before end at the default maximum, and have to prove themselves for a dangerous change.
    await runner.query(`
      ALTER TABLE session
        ADD COLUMN last_address text,
        ADD COLUMN ends_at timestamptz NOT NULL DEFAULT now() + interval '90 days',
        ADD COLUMN proven_at timestamptz`);
    await runner.query('ALTER TABLE refresh_token ADD COLUMN sealed_successor bytea');
    // A session has one at most, and a token for each quarter of an hour that it lived.
    await runner.query(
      'CREATE INDEX refresh_token_sealed_idx ON refresh_token (session_id) WHERE sealed_successor IS NOT NULL',
    );
  }

  private async createFactorTables(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE mfa_challenge
        ALTER COLUMN code_mac DROP NOT NULL,
        ADD COLUMN secret_hash bytea,
        ADD COLUMN method text NOT NULL DEFAULT 'mail' CHECK (method IN ('mail', 'authenticator', 'enrolment'))`);
    await createTenantTable(runner, roles, {
      name: 'authenticator',
      primaryKey: ['user_id'],
      columns: `
        user_id uuid NOT NULL,
        sealed_secret bytea NOT NULL,
        confirmed_at timestamptz,
        last_step bigint,
        created_at timestamptz NOT NULL DEFAULT now()`,
    });
    await createTenantTable(runner, roles, {
      name: 'recovery_code',
      primaryKey: ['user_id', 'code_hash'],
      columns: `
        user_id uuid NOT NULL,
        code_hash bytea NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()`,
    });
    await createTenantTable(runner, roles, {
      name: 'code_guess',
      primaryKey: ['user_id', 'place'],
      columns: `
        user_id uuid NOT NULL,
        place text NOT NULL CHECK (place IN ('sign-in', 'session')),
        tries integer NOT NULL,
        last_at timestamptz NOT NULL,
        next_at timestamptz NOT NULL`,
    });
    await createTenantTable(runner, roles, {
      name: 'sign_in_policy',
      primaryKey: [],
      columns: `
        second_factor text NOT NULL CHECK (second_factor IN ('optional', 'required')),
        updated_at timestamptz NOT NULL DEFAULT now()`,
    });
  }

  /**
   * Operators become rows of the platform's tenant. Whoever was one before is an administrator, because operators could do
   * everything. Their sessions end: the new ones record more, and signing in again is little to ask.
   */
  private async moveOperators(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE operator_session');
    await runner.query('ALTER TABLE operator RENAME TO former_operator');
    await runner.query('ALTER TABLE former_operator RENAME CONSTRAINT operator_pkey TO former_operator_pkey');
    await runner.query('ALTER TABLE former_operator RENAME CONSTRAINT operator_email_key TO former_operator_email_key');
    await createTenantTable(runner, roles, {
      name: 'operator',
      unique: [['email']],
      columns: `
        id uuid NOT NULL,
        email text NOT NULL,
        name text NOT NULL,
        password_hash text NOT NULL,
        role text NOT NULL CHECK (role IN ('administrator', 'reviewer')),
        status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'disabled')),
        linked_tenant_id uuid,
        created_at timestamptz NOT NULL DEFAULT now()`,
    });
    // The policies bind the owner of the tables too: it reads the old rows as the narrow role did, and writes the new ones in
    // the context of the platform's tenant.
    await runner.query('ALTER TABLE former_operator NO FORCE ROW LEVEL SECURITY');
    await runner.query("SELECT set_config('app.tenant_id', $1, true)", [PLATFORM_TENANT]);
    await runner.query(
      `INSERT INTO operator (tenant_id, id, email, name, password_hash, role, status, created_at)
       SELECT $1, id, email, name, password_hash, 'administrator', status, created_at FROM former_operator`,
      [PLATFORM_TENANT],
    );
    await runner.query("SELECT set_config('app.tenant_id', '', true)");
    await runner.query('DROP TABLE former_operator');
  }
}
