import { ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';
import { createMintFunctions } from './tables/functions.js';

export class IssuersOfEmbedCredentials1795800001303 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE embed_client ADD COLUMN issued_by uuid, ADD COLUMN previous_issued_by uuid');
    await createMintFunctions(runner);
  }
}
