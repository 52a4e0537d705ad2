import { createGlobalTable, ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';
import { createMintFunctions } from './tables/functions.js';
import { roles } from './tables/table.js';

/** What is read and written of every tenant here: the policies of the owner admit no rows. */
const TABLES = [
  'sign_in_email',
  'email_claim',
  'verified_domain',
  'person',
  'membership',
  'local_account',
  'app_user',
  'tenant',
  'invitation',
  'provider_link',
  'audit_entry',
];

/** Who has shown that they read the mail of their address, or whose workspace has proven its domain. */
const HAS_PROVEN = `
  (u.origin = 'registration' AND t.verified_at IS NOT NULL)
  OR EXISTS (SELECT 1 FROM invitation i
              WHERE i.tenant_id = u.tenant_id AND i.user_id = u.id AND i.accepted_at IS NOT NULL)
  OR EXISTS (SELECT 1 FROM audit_entry a
              WHERE a.tenant_id = u.tenant_id AND a.subject_id = u.id::text
                AND a.action IN ('password.reset', 'email.changed', 'user.invitation_accepted'))
  OR EXISTS (SELECT 1 FROM provider_link l JOIN verified_domain d ON d.tenant_id = l.tenant_id
              WHERE l.tenant_id = u.tenant_id AND l.user_id = u.id AND d.domain = substring(u.email FROM '[^@]*$'))`;

/**
 * An address belongs to the person who has proven it. Whoever has is a person with one membership; every other user is a local
 * account, which goes on signing in by the row of `sign_in_email` that it has: that row reserves nothing any more.
 */
export class Persons1795800001800 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await createTables(runner);
    for (const table of TABLES) await runner.query(`ALTER TABLE ${table} NO FORCE ROW LEVEL SECURITY`);
    await convert(runner);
    for (const table of TABLES) await runner.query(`ALTER TABLE ${table} FORCE ROW LEVEL SECURITY`);
    await createMintFunctions(runner);
  }
}

async function createTables(runner: QueryRunner): Promise<void> {
  await createGlobalTable(runner, roles, {
    name: 'person',
    primaryKey: ['id'],
    role: 'narrow',
    columns: 'id uuid NOT NULL, created_at timestamptz NOT NULL DEFAULT now()',
  });
  await createGlobalTable(runner, roles, {
    name: 'membership',
    primaryKey: ['person_id', 'tenant_id'],
    unique: [['user_id']],
    role: 'narrow',
    columns: `
      person_id uuid NOT NULL,
      tenant_id uuid NOT NULL,
      user_id uuid NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now()`,
  });
  await createGlobalTable(runner, roles, {
    name: 'local_account',
    primaryKey: ['user_id'],
    role: 'narrow',
    columns: `
      user_id uuid NOT NULL,
      tenant_id uuid NOT NULL,
      email text NOT NULL,
      password_key bytea,
      declined_at timestamptz,
      created_at timestamptz NOT NULL DEFAULT now()`,
    indexes: ['email, password_key'],
  });
  await runner.query('ALTER TABLE sign_in_email ADD COLUMN person_id uuid, ADD COLUMN proven_at timestamptz');
  await runner.query('CREATE INDEX sign_in_email_person_idx ON sign_in_email (person_id)');
  // What is issued to a password or a passkey of the person, and not to the word of a provider.
  await runner.query('ALTER TABLE session ADD COLUMN person_proven boolean NOT NULL DEFAULT false');
  await runner.query('ALTER TABLE app_user ADD COLUMN initial_password boolean NOT NULL DEFAULT false');
  await runner.query(
    "ALTER TABLE sign_in_policy ADD COLUMN local_passwords text CHECK (local_passwords IN ('allowed', 'refused'))",
  );
  // Hosts can have several users of one address.
  await runner.query("CREATE UNIQUE INDEX app_user_email_key ON app_user (tenant_id, email) WHERE origin <> 'embed'");
  await runner.query("CREATE INDEX app_user_host_email_idx ON app_user (tenant_id, email) WHERE origin = 'embed'");
  await runner.query(`
    GRANT SELECT (name, origin, password_hash, mfa_enabled, sign_in_epoch),
          UPDATE (status, password_hash, mfa_enabled, sign_in_epoch, initial_password)
       ON app_user TO ${roles.narrowRole}`);
}

async function convert(runner: QueryRunner): Promise<void> {
  await runner.query(`
    UPDATE sign_in_email s SET person_id = gen_random_uuid(), proven_at = now()
      FROM app_user u JOIN tenant t ON t.tenant_id = u.tenant_id
     WHERE u.tenant_id = s.tenant_id AND u.id = s.user_id AND u.email = s.email AND s.reserved_until IS NULL
       AND t.closed_at IS NULL AND (${HAS_PROVEN})`);
  await runner.query('INSERT INTO person (id) SELECT person_id FROM sign_in_email WHERE person_id IS NOT NULL');
  await runner.query(`
    INSERT INTO membership (person_id, tenant_id, user_id)
    SELECT person_id, tenant_id, user_id FROM sign_in_email WHERE person_id IS NOT NULL`);
  // Addresses that persons have given up.
  await runner.query(`
    UPDATE sign_in_email s SET person_id = m.person_id, proven_at = now() FROM membership m
     WHERE m.user_id = s.user_id AND s.reserved_until IS NOT NULL`);
  await runner.query(`
    INSERT INTO local_account (user_id, tenant_id, email, password_key, created_at)
    SELECT u.id, u.tenant_id, u.email, c.password_key, u.created_at
      FROM app_user u LEFT JOIN email_claim c ON c.user_id = u.id
     WHERE u.email NOT LIKE '%@invalid' AND u.origin <> 'embed' AND NOT EXISTS (SELECT 1 FROM membership m WHERE m.user_id = u.id)`);
}
