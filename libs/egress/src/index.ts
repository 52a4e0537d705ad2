export type { HostPort, UrlVerdict } from '@crm/address-policy';
export {
  createEgressClient,
  type EgressClient,
  type EgressMethod,
  type EgressOptions,
  type EgressRequest,
  type EgressResponse,
} from './client.js';
export { EGRESS_ERROR_CODES, EgressError, type EgressErrorCode, type EgressPhase } from './errors.js';
export { assertNoEgressExceptionsInProduction, type EgressExceptionSettings, parseEgressAllow } from './exceptions.js';
export type { Timeouts } from './exchange-clock.js';
export { OutsideClient } from './outside-client.js';
export { isClientHeader, type RequestHeaders } from './request-headers.js';
export { type NameServerOptions, nameServerResolver, type Resolver } from './resolver.js';
export { nameServerTextResolver, type TextResolver } from './text-records.js';
