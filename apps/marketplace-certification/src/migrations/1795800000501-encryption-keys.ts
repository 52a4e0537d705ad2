import { DATABASES } from '@crm/contracts';
import { ServiceMigration } from '@crm/database';
import { createEncryptionKeyTable } from '@crm/encryption';
import type { QueryRunner } from 'typeorm';

const roles = DATABASES['marketplace-certification'];

/** Which encryption keys have sealed in this database, and what sealing again needs. */
export class EncryptionKeys1795800000501 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await createEncryptionKeyTable(runner, roles);
  }
}
