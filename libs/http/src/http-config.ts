import type { ServiceName } from '@crm/contracts';

/** What the HTTP layer of a service needs to know of it. */
export interface HttpConfig {
  readonly name: ServiceName;
  /** Public address of the gateway; error codes are explained below it. */
  readonly baseUrl: string;
  /** Addresses or ranges whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
}

/** The HttpConfig of the process, for injection. */
export const HTTP_CONFIG = Symbol('crm:http-config');
