import { ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';
import { createMintFunctions } from './tables/functions.js';

/** Who issued the secret of an embed app, and until when an operator can replace the password that somebody else chose. */
export class IssuedSecrets1795800001303 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE embed_client ADD COLUMN issued_by uuid, ADD COLUMN previous_issued_by uuid');
    await createMintFunctions(runner);
    await runner.query('ALTER TABLE operator ADD COLUMN initial_password_until timestamptz');
  }
}
