import type { LimitsConfig } from '@crm/limits';
import { limitsConfig, readEnvironment, type ServiceConfig, serviceConfig } from '@crm/runtime';

export interface MarketplaceAdminConfig {
  service: ServiceConfig;
  limits: LimitsConfig;
}

/** Token under which the configuration is injected. */
export const MARKETPLACE_ADMIN_CONFIG = Symbol('marketplace-admin:config');

/** Reads the environment. Every problem is listed, and the process ends. */
export function loadConfig(): MarketplaceAdminConfig {
  return readEnvironment(() => ({ service: serviceConfig('marketplace-admin'), limits: limitsConfig() }));
}
