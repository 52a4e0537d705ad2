import { DATABASES } from '@crm/contracts';
import { ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

const roles = DATABASES.identity;

/** Mints of known host users are read together (decision record 0194). */
export class KnownMints1795800000001 extends ServiceMigration {
  /**
   * What `read_embed_mint` reads, for many mints at once, of those that need nothing else: the current secret, whose last use
   * is recorded already, a known `sub`, and the address that the user has. It answers no others, and it never waits: a user
   * whom somebody is changing is left out as well. So one mint cannot hold up those of others, and because the locks of a
   * batch are taken without waiting, their order cannot lead to a deadlock.
   *
   * Runs as the caller: outside the context of a tenant the narrow role sees no user.
   */
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE FUNCTION read_known_embed_mints(
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
    await runner.query('REVOKE EXECUTE ON FUNCTION read_known_embed_mints FROM PUBLIC');
    await runner.query(`GRANT EXECUTE ON FUNCTION read_known_embed_mints TO ${roles.narrowRole}`);
  }
}
