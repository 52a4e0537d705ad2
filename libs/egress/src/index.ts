export type { HostPort, UrlVerdict } from '@crm/address-policy';
export {
  type EgressMethod,
  type EgressOptions,
  type EgressRequest,
  type EgressResponse,
  OutsideClient,
} from './client.js';
export { assertNoEgressExceptionsInProduction, type EgressExceptionSettings, parseEgressAllow } from './destination.js';
export { EgressError, type EgressErrorCode, type EgressPhase } from './errors.js';
export { isClientHeader, type RequestHeaders, type Timeouts } from './exchange.js';
export {
  type NameServerOptions,
  nameServerResolver,
  nameServerTextResolver,
  type Resolver,
  type TextResolver,
} from './resolver.js';
export { readRetryAfter } from './retry-after.js';
