import type { DatabaseConfig } from '@crm/database';
import { databaseConfig, type ServiceConfig, serviceConfig } from '@crm/runtime';

export interface CustomObjectsConfig {
  service: ServiceConfig;
  database: DatabaseConfig;
}

export function loadConfig(): CustomObjectsConfig {
  return {
    service: serviceConfig('custom-objects'),
    database: { ...databaseConfig('custom-objects'), genericPlans: true },
  };
}
