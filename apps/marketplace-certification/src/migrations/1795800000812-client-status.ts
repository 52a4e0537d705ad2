import { DATABASES } from '@crm/contracts';
import { createGlobalTable, ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

const roles = DATABASES['marketplace-certification'];

/** Decisions of operators that identity has yet to learn. */
export class ClientStatus1795800000812 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await createGlobalTable(runner, roles, {
      name: 'client_status',
      primaryKey: ['app_key'],
      role: 'narrow',
      columns: `
        app_key text NOT NULL,
        status text NOT NULL CHECK (status IN ('active', 'suspended', 'revoked')),
        decided_at timestamptz NOT NULL`,
      indexes: ['decided_at'],
    });
  }
}
