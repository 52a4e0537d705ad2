import { DATABASES } from '@crm/contracts';
import { createTenantTable, ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

const roles = DATABASES.identity;

/** Whatever a configuration says, no role of the service can remove an entry that is younger. */
const LEAST_DAYS = 30;

/** The audit trail of workspaces: entries are added and read, and removed when their retention is over. */
export class Audit1795800000601 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await this.createEntryTable(runner);
    await this.openToNarrowRole(runner);
    await this.createForgetFunction(runner);
  }

  /**
   * Not in partitions by day: with a retention of 400 days every page of a workspace's trail would be planned over 400 of
   * them (decision 0205). The ids are in the order of time, and so is the table.
   */
  private async createEntryTable(runner: QueryRunner): Promise<void> {
    await createTenantTable(runner, roles, {
      name: 'audit_entry',
      columns: `
        id uuid NOT NULL,
        at timestamptz NOT NULL,
        action text NOT NULL CHECK (action ~ '^[a-z_]+\\.[a-z_]+$'),
        outcome text NOT NULL CHECK (outcome IN ('success', 'failure')),
        actor_kind text NOT NULL CHECK (actor_kind IN ('user', 'operator', 'app', 'system')),
        actor_id text,
        subject_kind text,
        subject_id text,
        address text,
        device text,
        request_id text,
        detail jsonb NOT NULL CHECK (octet_length(detail::text) <= 100000)`,
      indexes: ['actor_id, id', 'subject_id, id', 'action, id', { columns: 'at', tenantFirst: false }],
      grants: ['select', 'insert'],
    });
  }

  /**
   * It adds entries in the context of a tenant, as the runtime role does. For the retention it sees of the others' which ones
   * there are, and removes what is old: the second policy binds it in every context.
   */
  private async openToNarrowRole(runner: QueryRunner): Promise<void> {
    const old = `at < now() - interval '${LEAST_DAYS} days'`;
    await runner.query(`GRANT INSERT, SELECT (tenant_id, id, at), DELETE ON audit_entry TO ${roles.narrowRole}`);
    await runner.query(`CREATE POLICY narrow_select ON audit_entry FOR SELECT TO ${roles.narrowRole} USING (${old})`);
    await runner.query(`CREATE POLICY narrow_delete ON audit_entry FOR DELETE TO ${roles.narrowRole} USING (${old})`);
    await runner.query(
      `CREATE POLICY narrow_deletes_old ON audit_entry AS RESTRICTIVE FOR DELETE TO ${roles.narrowRole} USING (${old})`,
    );
  }

  /**
   * The one change of an entry: when a user is erased, where they acted from is forgotten. The rows are found in the context
   * of a tenant, by whose policy the owner is bound too; no role of the service can update any.
   */
  private async createForgetFunction(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE FUNCTION forget_audit_places(p_user text) RETURNS void
      LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        UPDATE public.audit_entry SET address = NULL, device = NULL
         WHERE tenant_id = NULLIF(current_setting('app.tenant_id', true), '')::uuid
           AND ((actor_kind = 'user' AND actor_id = p_user)
             OR (actor_kind = 'system' AND subject_kind = 'user' AND subject_id = p_user))
           AND (address IS NOT NULL OR device IS NOT NULL)
      $$`);
    await runner.query('REVOKE ALL ON FUNCTION forget_audit_places (text) FROM PUBLIC');
    await runner.query(
      `GRANT EXECUTE ON FUNCTION forget_audit_places (text) TO ${roles.runtimeRole}, ${roles.narrowRole}`,
    );
  }
}
