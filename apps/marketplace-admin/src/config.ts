import { DEVELOPMENT_PORTS, OPERATORS_PORT_OFFSET } from '@crm/contracts';
import type { LimitsConfig } from '@crm/limits';
import { limitsConfig, readEnvironment, serviceConfig } from '@crm/runtime';
import { type ProxyConfig, upstreamsConfig } from '@crm/runtime/proxy';

/** Longer than any call of operators takes; identity gives up waiting for the turn of a decision before. */
const UPSTREAM_TIMEOUT_MS = 10_000;

export interface MarketplaceAdminConfig extends ProxyConfig {
  readonly limits: LimitsConfig;
}

/** Reads the environment, with IDENTITY_URL and MARKETPLACE_URL: the ports for operators. Every problem is listed, and the process ends. */
export function loadConfig(): MarketplaceAdminConfig {
  return readEnvironment((env) => {
    const service = serviceConfig('marketplace-admin');
    const portOf = (name: 'identity' | 'marketplace-certification') => DEVELOPMENT_PORTS[name] + OPERATORS_PORT_OFFSET;
    return {
      service,
      limits: limitsConfig(),
      upstreamTimeoutMs: UPSTREAM_TIMEOUT_MS,
      ...upstreamsConfig(env, service, {
        identity: ['IDENTITY_URL', portOf('identity')],
        'marketplace-certification': ['MARKETPLACE_URL', portOf('marketplace-certification')],
      }),
    };
  });
}
