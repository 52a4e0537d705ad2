import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * One step of a service's schema, run by the owner role in a transaction. The class name ends with 13 digits, the
 * millisecond at which it was written; they determine the order. Tables are created with createTenantTable and the like.
 */
export abstract class ServiceMigration implements MigrationInterface {
  abstract up(runner: QueryRunner): Promise<void>;

  /** Steps are never reverted: a released schema is changed by another step, which keeps the data. */
  down(_runner: QueryRunner): Promise<void> {
    return Promise.reject(new Error('Migrations cannot be reverted: write another one'));
  }
}

export type MigrationClass = new () => MigrationInterface;
