import path from 'node:path';
import type { LimitsConfig } from '@crm/limits';
import { limitsConfig, readEnvironment, type ServiceConfig, serviceConfig } from '@crm/runtime';

export interface EmbedGatewayConfig {
  service: ServiceConfig;
  /** Where limits are counted. */
  limits: LimitsConfig;
  /** The folder of the built embed page. */
  pageDir: string;
}

/** Token under which the configuration is injected. */
export const EMBED_GATEWAY_CONFIG = Symbol('embed-gateway:config');

/** Where the image has the page, below its working directory. */
const PAGE_DIR = 'pages/embed-page';

/** Reads the environment, and in it EMBED_PAGE_DIR. Every problem is listed, and the process ends. */
export function loadConfig(): EmbedGatewayConfig {
  return readEnvironment((env) => ({
    service: serviceConfig('embed-gateway'),
    limits: limitsConfig(),
    pageDir: path.resolve(env.string('EMBED_PAGE_DIR', { default: PAGE_DIR })),
  }));
}
