import { ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

export class ClaimsFoundByPassword1795800001302 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE email_claim ADD COLUMN password_key bytea');
    await runner.query('CREATE INDEX email_claim_email_password_key_idx ON email_claim (email, password_key)');
  }
}
