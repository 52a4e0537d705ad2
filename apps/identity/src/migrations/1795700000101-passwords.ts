import { DATABASES } from '@crm/contracts';
import { createTenantTable, ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

const roles = DATABASES.identity;

export class Passwords1795700000101 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await this.sealMail(runner);
    await this.createResetTable(runner);
    await this.createEmailChangeTable(runner);
    await this.grantEmailChange(runner);
  }

  /** Mail that waited before has its text in `body`; all other mail in `sealed_body`. */
  private async sealMail(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE mail
        ADD COLUMN sealed_body bytea,
        ALTER COLUMN body DROP NOT NULL,
        ADD CONSTRAINT mail_one_body CHECK (num_nonnulls(body, sealed_body) = 1)`);
  }

  private async createResetTable(runner: QueryRunner): Promise<void> {
    await createTenantTable(runner, roles, {
      name: 'password_reset',
      columns: `
        id uuid NOT NULL,
        user_id uuid NOT NULL,
        secret_hash bytea NOT NULL,
        expires_at timestamptz NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()`,
      indexes: ['user_id', { columns: 'expires_at', tenantFirst: false }],
      // The sweeper deletes expired ones of every tenant.
      narrow: ['select', 'delete'],
    });
  }

  private async createEmailChangeTable(runner: QueryRunner): Promise<void> {
    await createTenantTable(runner, roles, {
      name: 'email_change',
      columns: `
        id uuid NOT NULL,
        user_id uuid NOT NULL,
        old_email text NOT NULL,
        new_email text NOT NULL,
        secret_hash bytea NOT NULL,
        undo_hash bytea,
        expires_at timestamptz NOT NULL,
        confirmed_at timestamptz,
        created_at timestamptz NOT NULL DEFAULT now()`,
      indexes: ['user_id', { columns: 'expires_at', tenantFirst: false }],
      narrow: ['select', 'delete'],
    });
    // The address that a user had is nobody else's while the change can be undone, and signs nobody in.
    await runner.query('ALTER TABLE sign_in_email ADD COLUMN reserved_until timestamptz');
    await runner.query('CREATE INDEX ON sign_in_email (reserved_until) WHERE reserved_until IS NOT NULL');
  }

  /**
   * The address of a user and the one that signs in are changed together, by the narrow role in the context of the user's
   * tenant. Of users it reads nothing but this, and gets no policy: the tenant's own binds it too.
   */
  private async grantEmailChange(runner: QueryRunner): Promise<void> {
    await runner.query(`GRANT UPDATE ON email_change TO ${roles.narrowRole}`);
    await runner.query(
      `GRANT SELECT (tenant_id, id, email, status), UPDATE (email) ON app_user TO ${roles.narrowRole}`,
    );
  }
}
