import { readEnvironment, type ServiceConfig, serviceConfig } from '@crm/runtime';

export interface MarketplaceAdminConfig {
  service: ServiceConfig;
}

/** Reads the environment; a problem ends the process. */
export function loadConfig(): MarketplaceAdminConfig {
  return readEnvironment(() => ({ service: serviceConfig('marketplace-admin') }));
}
