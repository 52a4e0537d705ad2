import { readEnvironment, type ServiceConfig, serviceConfig } from '@crm/runtime';

export interface MarketplaceAdminConfig {
  service: ServiceConfig;
}

/** Reads the environment. Every problem is listed, and the process ends. */
export function loadConfig(): MarketplaceAdminConfig {
  return readEnvironment(() => ({ service: serviceConfig('marketplace-admin') }));
}
