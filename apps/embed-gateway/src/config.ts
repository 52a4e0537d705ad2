import type { LimitsConfig } from '@crm/limits';
import { limitsConfig, readEnvironment, type ServiceConfig, serviceConfig } from '@crm/runtime';

export interface EmbedGatewayConfig {
  service: ServiceConfig;
  /** Where limits are counted. */
  limits: LimitsConfig;
}

/** Token under which the configuration is injected. */
export const EMBED_GATEWAY_CONFIG = Symbol('embed-gateway:config');

/** Reads the environment. Every problem is listed, and the process ends. */
export function loadConfig(): EmbedGatewayConfig {
  return readEnvironment(() => ({ service: serviceConfig('embed-gateway'), limits: limitsConfig() }));
}
