import { ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

/**
 * A revoked app mints nothing: its cut-off refuses the tokens that there are, and these functions, which read what a mint is
 * decided on, answer its credentials like wrong ones. In all else they are those of 1795700000301 and 1795800000001, and keep
 * their grants.
 */
export class RevokedApps1795800000831 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await this.replaceMint(runner);
    await this.replaceKnownMints(runner);
  }

  private async replaceMint(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE OR REPLACE FUNCTION read_embed_mint(p_client_id text, p_secret_hash bytea, p_sub text, p_email text)
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
        IF EXISTS (SELECT 1 FROM oauth_app a WHERE a.app_key = c.app_key AND a.status = 'revoked') THEN RETURN; END IF;
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
  }

  private async replaceKnownMints(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE OR REPLACE FUNCTION read_known_embed_mints(
        p_client_ids text[], p_secret_hashes bytea[], p_subs text[], p_emails text[])
      RETURNS TABLE (
        "position" bigint, app_key text, tenant_id uuid, secret_hash bytea, allowed_origins text[], scopes text[],
        link_users_by text, user_id uuid, user_email text, user_roles text[], user_status text, undone boolean,
        belongs_elsewhere boolean)
      LANGUAGE plpgsql AS $$
      #variable_conflict use_column
      DECLARE
        c record;
      BEGIN
        PERFORM set_config('synchronous_commit', 'off', true);
        FOR c IN
          SELECT e.*, p.positions
            FROM (SELECT client_id, secret_hash, array_agg(ordinality) AS positions
                    FROM unnest(p_client_ids, p_secret_hashes) WITH ORDINALITY AS given (client_id, secret_hash)
                   GROUP BY client_id, secret_hash) p
            JOIN embed_client e ON e.client_id = p.client_id AND e.secret_hash = p.secret_hash
           WHERE e.secret_last_used_at >= now() - interval '5 minutes'
             AND NOT EXISTS (SELECT 1 FROM oauth_app a WHERE a.app_key = e.app_key AND a.status = 'revoked')
        LOOP
          PERFORM set_config('app.tenant_id', c.tenant_id::text, true);
          RETURN QUERY
            SELECT p.at, c.app_key, c.tenant_id, c.secret_hash, c.allowed_origins || c.development_origins, c.scopes,
                   c.link_users_by, u.id, u.email, u.roles, u.status, m.undone_at IS NOT NULL,
                   EXISTS (SELECT 1 FROM sign_in_email s WHERE s.email = u.email AND s.tenant_id <> c.tenant_id)
              FROM unnest(c.positions) AS p (at)
              JOIN embed_user m
                ON m.tenant_id = c.tenant_id AND m.app_key = c.app_key AND m.sub = p_subs[p.at]
              JOIN app_user u ON u.tenant_id = c.tenant_id AND u.id = m.user_id AND u.email = p_emails[p.at]
               FOR SHARE OF u SKIP LOCKED;
        END LOOP;
      END $$`);
  }
}
