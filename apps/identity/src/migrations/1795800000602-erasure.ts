import { DATABASES } from '@crm/contracts';
import { ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

const { narrowRole } = DATABASES.identity;

/** Of each, what the narrow role finds the rows of a user by. It gets no policy: the tenant's own binds it. */
const OF_A_USER: readonly (readonly [table: string, columns: string])[] = [
  ['app_user', 'tenant_id, id, email, roles, status'],
  ['session', 'tenant_id, user_id, id'],
  ['mfa_challenge', 'tenant_id, user_id'],
  ['authenticator', 'tenant_id, user_id'],
  ['recovery_code', 'tenant_id, user_id'],
  ['code_guess', 'tenant_id, user_id'],
  ['invitation', 'tenant_id, user_id'],
  ['password_reset', 'tenant_id, user_id'],
  ['email_change', 'tenant_id, user_id, old_email, new_email'],
  ['embed_user', 'tenant_id, user_id'],
  ['mail', 'tenant_id, recipient'],
];

/**
 * A user is erased with their addresses, which are global, in one transaction of the narrow role in the context of the
 * tenant.
 */
export class Erasure1795800000602 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    for (const [table, columns] of OF_A_USER) {
      await runner.query(`GRANT SELECT (${columns}), DELETE ON ${table} TO ${narrowRole}`);
    }
    await runner.query(`GRANT INSERT, UPDATE ON pending_cutoff TO ${narrowRole}`);
  }
}
