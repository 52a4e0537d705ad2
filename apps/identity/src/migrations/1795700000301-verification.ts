import { DATABASES } from '@crm/contracts';
import { createGlobalTable, ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

const roles = DATABASES.identity;

/** Addresses that are claimed by whoever verifies them first, and credentials of embed apps with two secrets. */
export class Verification1795700000301 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await this.addEmailClaims(runner);
    await this.extendEmbedClients(runner);
    await this.extendEmbedUsers(runner);
    await this.createMintFunction(runner);
  }

  private async addEmailClaims(runner: QueryRunner): Promise<void> {
    // Workspaces from before have been at work without it.
    await runner.query('ALTER TABLE tenant ADD COLUMN verified_at timestamptz, ADD COLUMN closed_at timestamptz');
    await runner.query('ALTER TABLE tenant NO FORCE ROW LEVEL SECURITY');
    await runner.query('UPDATE tenant SET verified_at = created_at');
    await runner.query('ALTER TABLE tenant FORCE ROW LEVEL SECURITY');
    // In the context of the tenant: no policy opens the rows of others.
    await runner.query(`GRANT SELECT, UPDATE (verified_at) ON tenant TO ${roles.narrowRole}`);
    await createGlobalTable(runner, roles, {
      name: 'email_claim',
      primaryKey: ['user_id'],
      role: 'narrow',
      columns: `
        user_id uuid NOT NULL,
        tenant_id uuid NOT NULL,
        email text NOT NULL,
        secret_hash bytea,
        secret_expires_at timestamptz,
        lost_at timestamptz,
        created_at timestamptz NOT NULL DEFAULT now()`,
      indexes: ['email, created_at', 'created_at'],
    });
  }

  private async extendEmbedClients(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE embed_client
        ADD COLUMN secret_created_at timestamptz NOT NULL DEFAULT now(),
        ADD COLUMN secret_last_used_at timestamptz,
        ADD COLUMN previous_secret_hash bytea,
        ADD COLUMN previous_secret_created_at timestamptz,
        ADD COLUMN previous_secret_last_used_at timestamptz,
        ADD COLUMN previous_valid_until timestamptz,
        ADD COLUMN reviewed boolean NOT NULL DEFAULT false,
        ADD COLUMN development_origins text[] NOT NULL DEFAULT '{}'`);
  }

  /** A link that the user did not want: what the mail carries, and that it was used. */
  private async extendEmbedUsers(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE embed_user
        ADD COLUMN undo_hash bytea,
        ADD COLUMN undo_expires_at timestamptz,
        ADD COLUMN undone_at timestamptz`);
  }

  /**
   * All that a mint for a known host user has to read, in one round trip. A function, because the tenant is known only when
   * the client has been read, and statements of a function follow each other. The narrow role reads users in the context of
   * the client's tenant; UPDATE, which a row lock asks for, is granted on a column that no policy lets it change.
   *
   * The row lock is all that it writes most of the time, and a lost lock is no loss: the commit does not wait for the disk.
   */
  private async createMintFunction(runner: QueryRunner): Promise<void> {
    await runner.query(
      `GRANT SELECT (tenant_id, id, email, roles, status), UPDATE (tenant_id) ON app_user TO ${roles.narrowRole}`,
    );
    await runner.query(`
      CREATE FUNCTION read_embed_mint(p_client_id text, p_secret_hash bytea, p_sub text, p_email text)
      RETURNS TABLE (
        app_key text, tenant_id uuid, secret_hash bytea, previous_secret_hash bytea, allowed_origins text[],
        scopes text[], link_users_by text, user_id uuid, user_email text, user_roles text[], user_status text,
        undone boolean, belongs_elsewhere boolean, conflicts integer, conflicts_reset_seconds float8)
      LANGUAGE plpgsql AS $$
      #variable_conflict use_column
      DECLARE
        c embed_client%ROWTYPE;
        is_current boolean;
        is_previous boolean;
      BEGIN
        SELECT * INTO c FROM embed_client WHERE client_id = p_client_id;
        IF NOT FOUND THEN RETURN; END IF;
        is_current := c.secret_hash = p_secret_hash;
        is_previous := c.previous_secret_hash = p_secret_hash AND c.previous_valid_until > now();
        IF NOT is_current AND is_previous IS NOT TRUE THEN RETURN; END IF;
        app_key := c.app_key; tenant_id := c.tenant_id; secret_hash := c.secret_hash;
        previous_secret_hash := CASE WHEN is_previous THEN c.previous_secret_hash END;
        allowed_origins := c.allowed_origins || c.development_origins; scopes := c.scopes;
        link_users_by := c.link_users_by;
        PERFORM set_config('app.tenant_id', c.tenant_id::text, true), set_config('synchronous_commit', 'off', true);
        IF is_current AND (c.secret_last_used_at < now() - interval '5 minutes') IS NOT FALSE THEN
          UPDATE embed_client SET secret_last_used_at = now()
           WHERE client_id = p_client_id AND (secret_last_used_at < now() - interval '5 minutes') IS NOT FALSE;
        ELSIF NOT is_current AND (c.previous_secret_last_used_at < now() - interval '5 minutes') IS NOT FALSE THEN
          UPDATE embed_client SET previous_secret_last_used_at = now()
           WHERE client_id = p_client_id AND (previous_secret_last_used_at < now() - interval '5 minutes') IS NOT FALSE;
        END IF;
        SELECT m.user_id, m.undone_at IS NOT NULL INTO user_id, undone FROM embed_user m
         WHERE m.tenant_id = c.tenant_id AND m.app_key = c.app_key AND m.sub = p_sub;
        IF FOUND THEN
          SELECT u.email, u.roles, u.status INTO user_email, user_roles, user_status FROM app_user u
           WHERE u.tenant_id = c.tenant_id AND u.id = user_id FOR SHARE;
          belongs_elsewhere := EXISTS (SELECT 1 FROM sign_in_email s
                                        WHERE s.email = p_email AND s.tenant_id <> c.tenant_id);
          IF user_email IS DISTINCT FROM p_email THEN
            SELECT q.used, extract(epoch FROM q.resets_at - now())::float8 INTO conflicts, conflicts_reset_seconds
              FROM quota_use q
             WHERE q.tenant_id = c.tenant_id AND q.name = 'embed-conflict:' || c.app_key AND q.resets_at > now();
          END IF;
        END IF;
        RETURN NEXT;
      END $$`);
    await runner.query('REVOKE EXECUTE ON FUNCTION read_embed_mint FROM PUBLIC');
    await runner.query(`GRANT EXECUTE ON FUNCTION read_embed_mint TO ${roles.narrowRole}`);
  }
}
