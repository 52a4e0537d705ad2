import { parseUrl } from '@crm/address-policy';
import type { ServiceName } from '@crm/contracts';
import type { EnvironmentReader } from '../configuration/environment.js';
import type { ServiceConfig } from '../configuration/service-config.js';
import { authoritiesConfig } from '../configuration/tls-config.js';

/** Internal addresses of the services that an edge forwards to. */
export type UpstreamUrls = Readonly<Partial<Record<ServiceName, string>>>;

export interface ProxyConfig {
  readonly service: ServiceConfig;
  readonly upstreams: UpstreamUrls;
  /** Whom the edge believes who a service is; undefined: whom the system believes. */
  readonly upstreamCa?: { readonly file: string; readonly everyMs?: number } | undefined;
  readonly upstreamTimeoutMs: number;
}

export const PROXY_CONFIG = Symbol('crm:proxy-config');

export const UPSTREAM_CA_VARIABLE = 'UPSTREAM_CA_FILE';

/** @param addresses the variable with the address of each service, and its port in the development profile */
export function upstreamsConfig<Upstream extends ServiceName>(
  env: EnvironmentReader,
  { profile }: ServiceConfig,
  addresses: Readonly<Record<Upstream, readonly [variable: string, port: number]>>,
): { upstreams: Readonly<Record<Upstream, string>>; upstreamCa: ProxyConfig['upstreamCa'] } {
  const entries = Object.entries<readonly [string, number]>(addresses).map(([name, [variable, port]]) => {
    const local = profile !== 'production' && { default: `http://127.0.0.1:${port}` };
    return [name, env.url(variable, { ...local, schemes: ['http', 'https'] })] as const;
  });
  const file = authoritiesConfig(env, UPSTREAM_CA_VARIABLE);
  // Anyone who names authorities means to encrypt: an address that was forgotten must not go without unnoticed.
  if (file !== undefined && entries.some(([, address]) => parseUrl(address)?.protocol === 'http:')) {
    env.problem(`${UPSTREAM_CA_VARIABLE} is set, so every address of a service must begin with https://`);
  }
  return {
    upstreams: Object.fromEntries(entries) as Record<Upstream, string>,
    upstreamCa: file === undefined ? undefined : { file },
  };
}
