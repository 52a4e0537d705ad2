import { ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';
import { roles } from './tables/table.js';

/**
 * The workspaces that the person of a user can enter, of a local account its own, in one round trip. Runs as the narrow role,
 * which sees users and workspaces in their own context only.
 */
const READ_PERSON_WORKSPACES = `(p_tenant_id uuid, p_user_id uuid)
  RETURNS TABLE (tenant_id uuid, user_id uuid, joined_at timestamptz, name text, roles text[])
  LANGUAGE plpgsql AS $$
  #variable_conflict use_column
  DECLARE u record;
  BEGIN
    FOR u IN
      SELECT m.tenant_id, m.user_id, m.created_at
        FROM membership own JOIN membership m ON m.person_id = own.person_id WHERE own.user_id = p_user_id
      UNION ALL
      SELECT p_tenant_id, p_user_id, NULL WHERE NOT EXISTS (SELECT 1 FROM membership own WHERE own.user_id = p_user_id)
    LOOP
      PERFORM set_config('app.tenant_id', u.tenant_id::text, true);
      RETURN QUERY
        SELECT u.tenant_id, u.user_id, u.created_at, t.name, a.roles
          FROM app_user a JOIN tenant t ON t.tenant_id = a.tenant_id
         WHERE a.tenant_id = u.tenant_id AND a.id = u.user_id AND a.status = 'active' AND t.closed_at IS NULL;
    END LOOP;
  END $$`;

/** The open sessions of users of several tenants, each read in the context of its own; the context of the caller stays. */
const READ_PERSON_SESSIONS = `(p_tenant_ids uuid[], p_user_ids uuid[]) RETURNS SETOF session
  LANGUAGE plpgsql AS $$
  DECLARE before text := current_setting('app.tenant_id', true);
  BEGIN
    FOR i IN 1 .. cardinality(p_tenant_ids) LOOP
      PERFORM set_config('app.tenant_id', p_tenant_ids[i]::text, true);
      RETURN QUERY
        SELECT s.* FROM session s
         WHERE s.tenant_id = p_tenant_ids[i] AND s.user_id = p_user_ids[i] AND s.expires_at > now();
    END LOOP;
    PERFORM set_config('app.tenant_id', before, true);
  END $$`;

/** A person sees their workspaces and sessions, and changes from one workspace to another. */
export class PersonSessions1795800001810 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    for (const [name, definition, caller] of [
      ['read_person_workspaces', READ_PERSON_WORKSPACES, roles.narrowRole],
      ['read_person_sessions', READ_PERSON_SESSIONS, roles.runtimeRole],
    ] as const) {
      await runner.query(`CREATE FUNCTION ${name}${definition}`);
      await runner.query(`REVOKE EXECUTE ON FUNCTION ${name} FROM PUBLIC`);
      await runner.query(`GRANT EXECUTE ON FUNCTION ${name} TO ${caller}`);
    }
    // One of before says nothing of the session in which it was set up.
    await runner.query('ALTER TABLE passkey ADD COLUMN person_proven boolean NOT NULL DEFAULT false');
    await runner.query(`
      ALTER TABLE mfa_challenge DROP CONSTRAINT mfa_challenge_purpose_check,
        ADD CONSTRAINT mfa_challenge_purpose_check
          CHECK (purpose IN ('sign-in', 'single-sign-on', 'switch', 'reauthentication'))`);
  }
}
