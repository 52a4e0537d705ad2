import type { ServiceName } from '@crm/contracts';

/** The configuration of the HTTP layer. */
export interface HttpConfig {
  readonly name: ServiceName;
  /** Public address of the gateway; error codes are explained below it. */
  readonly baseUrl: string;
  /** Addresses or ranges whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[];
}

/** The HttpConfig of the process, for injection. */
export const HTTP_CONFIG = Symbol('crm:http-config');
