import { DATABASES } from '@crm/contracts';
import { ServiceMigration } from '@crm/database';
import { createEncryptionKeyTable, letNarrowRoleFindTenants } from '@crm/encryption';
import type { QueryRunner } from 'typeorm';

const roles = DATABASES['automation-hooks'];

/** Which encryption keys have sealed in this database, and what sealing again needs. */
export class EncryptionKeys1795800000501 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await createEncryptionKeyTable(runner, roles);
    await letNarrowRoleFindTenants(runner, roles, 'hook_secret');
    await runner.query(`GRANT UPDATE (sealed) ON hook_secret TO ${roles.runtimeRole}`);
  }
}
