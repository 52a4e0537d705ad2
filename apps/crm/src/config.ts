import type { DatabaseConfig } from '@crm/database';
import { databaseConfig, readEnvironment, type ServiceConfig, serviceConfig } from '@crm/runtime';

export interface CrmConfig {
  readonly service: ServiceConfig;
  readonly database: DatabaseConfig;
}

/** The only reader of the environment in this service. */
export function loadConfig(): CrmConfig {
  return readEnvironment(() => ({ service: serviceConfig('crm'), database: databaseConfig('crm') }));
}
