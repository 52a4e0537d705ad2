import { DATABASES } from '@crm/contracts';
import { ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

const { narrowRole } = DATABASES.identity;

/** The audit trail and the erasure of users, for passkeys, API keys and single sign-on. */
export class JoinedParts1795800000811 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    // As in 1795800000602: in the context of the tenant, whose own policy binds the narrow role. It may delete expired rows of
    // the other tables already.
    await runner.query(`GRANT SELECT (tenant_id, user_id), DELETE ON passkey TO ${narrowRole}`);
    await runner.query(`GRANT DELETE ON provider_link TO ${narrowRole}`);
    await runner.query('CREATE INDEX ON provider_sign_in (tenant_id, user_id) WHERE user_id IS NOT NULL');
  }
}
