import { DATABASES } from '@crm/contracts';
import { createGlobalTable, createTenantTable, ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

const roles = DATABASES.identity;

/** OAuth 2.1 for apps: credentials of installations, and what apps may do for users. */
export class OAuth1795800000101 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await this.createClients(runner);
    await this.createClientFunction(runner);
    await this.createAuthorizations(runner);
    await this.allowCutoffs(runner);
  }

  private async createClients(runner: QueryRunner): Promise<void> {
    await createGlobalTable(runner, roles, {
      name: 'oauth_app',
      primaryKey: ['app_key'],
      role: 'narrow',
      columns: `
        app_key text NOT NULL,
        redirect_uris text[] NOT NULL DEFAULT '{}',
        status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'suspended', 'revoked')),
        updated_at timestamptz NOT NULL DEFAULT now()`,
    });
    await createGlobalTable(runner, roles, {
      name: 'oauth_installation',
      primaryKey: ['installation_id'],
      unique: [['client_id']],
      role: 'narrow',
      columns: `
        installation_id uuid NOT NULL,
        tenant_id uuid NOT NULL,
        client_id text NOT NULL,
        app_key text NOT NULL,
        app_name text NOT NULL,
        publisher text NOT NULL,
        sandbox boolean NOT NULL,
        scopes text[] NOT NULL,
        redirect_uris text[] NOT NULL,
        secret_hash bytea,
        secret_created_at timestamptz,
        secret_last_used_at timestamptz,
        previous_secret_hash bytea,
        previous_secret_created_at timestamptz,
        previous_secret_last_used_at timestamptz,
        previous_valid_until timestamptz,
        ended_at timestamptz,
        updated_at timestamptz NOT NULL DEFAULT now()`,
      indexes: ['app_key, tenant_id', { columns: 'ended_at', where: 'ended_at IS NOT NULL' }],
    });
  }

  /**
   * What a token call with credentials is decided on, in one round trip. A function, because the tenant is known only when the
   * client has been read. No row for an unknown client, a wrong secret, an installation that has ended, an app that is revoked
   * and a workspace that is closed. A lost note of the last use is no loss: the commit does not wait for the disk.
   */
  private async createClientFunction(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE FUNCTION read_oauth_client(p_client_id text, p_secret_hash bytea)
      RETURNS TABLE (installation_id uuid, tenant_id uuid, app_key text, scopes text[], matched_hash bytea)
      LANGUAGE plpgsql AS $$
      #variable_conflict use_column
      DECLARE
        c oauth_installation%ROWTYPE;
        is_current boolean;
        is_previous boolean;
      BEGIN
        SELECT * INTO c FROM oauth_installation WHERE client_id = p_client_id AND ended_at IS NULL;
        IF NOT FOUND THEN RETURN; END IF;
        is_current := c.secret_hash = p_secret_hash;
        is_previous := c.previous_secret_hash = p_secret_hash AND c.previous_valid_until > now();
        IF is_current IS NOT TRUE AND is_previous IS NOT TRUE THEN RETURN; END IF;
        IF EXISTS (SELECT 1 FROM oauth_app a WHERE a.app_key = c.app_key AND a.status = 'revoked') THEN RETURN; END IF;
        PERFORM set_config('app.tenant_id', c.tenant_id::text, true), set_config('synchronous_commit', 'off', true);
        IF NOT EXISTS (SELECT 1 FROM tenant t WHERE t.tenant_id = c.tenant_id AND t.closed_at IS NULL) THEN RETURN; END IF;
        IF is_current AND (c.secret_last_used_at < now() - interval '5 minutes') IS NOT FALSE THEN
          UPDATE oauth_installation SET secret_last_used_at = now()
           WHERE client_id = p_client_id AND (secret_last_used_at < now() - interval '5 minutes') IS NOT FALSE;
        ELSIF is_current IS NOT TRUE AND (c.previous_secret_last_used_at < now() - interval '5 minutes') IS NOT FALSE THEN
          UPDATE oauth_installation SET previous_secret_last_used_at = now()
           WHERE client_id = p_client_id AND (previous_secret_last_used_at < now() - interval '5 minutes') IS NOT FALSE;
        END IF;
        installation_id := c.installation_id; tenant_id := c.tenant_id; app_key := c.app_key; scopes := c.scopes;
        matched_hash := CASE WHEN is_current THEN c.secret_hash ELSE c.previous_secret_hash END;
        RETURN NEXT;
      END $$`);
    await runner.query('REVOKE EXECUTE ON FUNCTION read_oauth_client FROM PUBLIC');
    await runner.query(`GRANT EXECUTE ON FUNCTION read_oauth_client TO ${roles.narrowRole}`);
  }

  /** Requests belong to no tenant until a user decides on them; codes, grants and refresh tokens name their tenant. */
  private async createAuthorizations(runner: QueryRunner): Promise<void> {
    await createGlobalTable(runner, roles, {
      name: 'oauth_request',
      primaryKey: ['request_hash'],
      role: 'narrow',
      columns: `
        request_hash bytea NOT NULL,
        app_key text NOT NULL,
        installation_id uuid,
        redirect_uri text NOT NULL,
        scopes text[],
        state text,
        code_challenge text NOT NULL,
        expires_at timestamptz NOT NULL`,
      indexes: ['expires_at'],
    });
    await createTenantTable(runner, roles, {
      name: 'oauth_code',
      columns: `
        id uuid NOT NULL,
        code_hash bytea NOT NULL,
        installation_id uuid NOT NULL,
        app_key text NOT NULL,
        app_name text NOT NULL,
        publisher text NOT NULL,
        user_id uuid NOT NULL,
        redirect_uri text NOT NULL,
        scopes text[] NOT NULL,
        code_challenge text NOT NULL,
        valid_until timestamptz NOT NULL,
        used_at timestamptz,
        expires_at timestamptz NOT NULL`,
      references: [{ columns: ['user_id'], table: 'app_user', onDelete: 'cascade' }],
      indexes: [{ columns: 'expires_at', tenantFirst: false }],
      // The sweeper deletes expired ones of every tenant.
      narrow: ['select', 'delete'],
    });
    await createTenantTable(runner, roles, {
      name: 'oauth_grant',
      columns: `
        id uuid NOT NULL,
        installation_id uuid NOT NULL,
        app_key text NOT NULL,
        app_name text NOT NULL,
        publisher text NOT NULL,
        user_id uuid NOT NULL,
        scopes text[] NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        last_used_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz NOT NULL,
        ends_at timestamptz NOT NULL`,
      references: [{ columns: ['user_id'], table: 'app_user', onDelete: 'cascade' }],
      indexes: ['user_id, id', 'installation_id', { columns: 'expires_at', tenantFirst: false }],
      narrow: ['select', 'delete'],
    });
    await createTenantTable(runner, roles, {
      name: 'oauth_refresh_token',
      primaryKey: ['grant_id', 'token_hash'],
      columns: `
        grant_id uuid NOT NULL,
        token_hash bytea NOT NULL,
        expires_at timestamptz NOT NULL,
        rotated_at timestamptz,
        sealed_successor bytea`,
      references: [{ columns: ['grant_id'], table: 'oauth_grant', onDelete: 'cascade' }],
      indexes: [{ columns: 'expires_at', tenantFirst: false }],
      narrow: ['select', 'delete'],
    });
  }

  /** A change in a workspace can end an installation, and a decision of the operators an app. */
  private async allowCutoffs(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE pending_cutoff
        DROP CONSTRAINT IF EXISTS pending_cutoff_kind_check,
        ADD CONSTRAINT pending_cutoff_kind_check CHECK (kind IN ('user', 'session', 'app', 'tenant', 'installation'))`);
  }
}
