import { ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

/** Until when a mail is worth sending. */
export class MailExpiry1763700000001 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    // With a default: mail that waits gets a time as well, and so does what processes of the version before write.
    await runner.query(`ALTER TABLE mail ADD COLUMN expires_at timestamptz NOT NULL DEFAULT now() + interval '3 days'`);
  }
}
