import type { DatabaseConfig } from '@crm/database';
import { databaseConfig, readEnvironment, type ServiceConfig, serviceConfig } from '@crm/runtime';

export interface CustomObjectsConfig {
  service: ServiceConfig;
  database: DatabaseConfig;
  /** Days for which a deleted record is kept. */
  deletedRecordsKeptDays: number;
  /** Days for which is kept what was changed in a record. */
  historyKeptDays: number;
}

export function loadConfig(): CustomObjectsConfig {
  return {
    service: serviceConfig('custom-objects'),
    database: {
      ...databaseConfig('custom-objects'),
      genericPlans: true,
      // The share holds for long lists and for what runs alone; reads, short lists and writes of all tenants share transactions, each kind as one tenant would.
      tenantShare: readEnvironment((env) => env.integer('DATABASE_TENANT_SHARE', { default: 2, min: 1, max: 500 })),
      costlyTimeoutMs: readEnvironment((env) =>
        env.integer('COSTLY_QUERY_TIMEOUT_MS', { default: 2_000, min: 100, max: 30_000 }),
      ),
    },
    deletedRecordsKeptDays: readEnvironment((env) =>
      env.integer('DELETED_RECORDS_KEPT_DAYS', { default: 30, min: 1, max: 3_650 }),
    ),
    historyKeptDays: readEnvironment((env) => env.integer('HISTORY_KEPT_DAYS', { default: 365, min: 1, max: 3_650 })),
  };
}
