import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * One step of a service's schema, run by the owner role in a transaction. The class name ends with 13 digits, the
 * millisecond at which it was written; they order the steps. Tables are made with createTenantTable and its siblings.
 */
export abstract class ServiceMigration implements MigrationInterface {
  abstract up(runner: QueryRunner): Promise<void>;

  /** Steps are not undone: a released schema moves forward by another step, which keeps the data. */
  down(_runner: QueryRunner): Promise<void> {
    return Promise.reject(new Error('Migrations only go forward: write another one'));
  }
}

export type MigrationClass = new () => MigrationInterface;
