import { DATABASES } from '@crm/contracts';
import { ServiceMigration } from '@crm/database';
import { createEncryptionKeyTable, letNarrowRoleFindTenants } from '@crm/encryption';
import type { QueryRunner } from 'typeorm';

const roles = DATABASES.identity;

/** Which encryption keys have sealed in this database, and what sealing again needs; cut-offs of signing keys. */
export class EncryptionKeys1795800000501 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await createEncryptionKeyTable(runner, roles);
    await letNarrowRoleFindTenants(runner, roles, 'authenticator');
    await letNarrowRoleFindTenants(runner, roles, 'identity_provider');
    await runner.query(`
      ALTER TABLE revocation_cutoff
        DROP CONSTRAINT revocation_cutoff_kind_check,
        ADD CONSTRAINT revocation_cutoff_kind_check
          CHECK (kind IN ('user', 'session', 'app', 'tenant', 'installation', 'signing_key'))`);
  }
}
