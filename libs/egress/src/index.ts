export type { HostPort, UrlVerdict } from '@crm/address-policy';
export {
  type EgressMethod,
  type EgressOptions,
  type EgressRequest,
  type EgressResponse,
  OutsideClient,
} from './client.js';
export { assertNoEgressExceptionsInProduction, type EgressExceptionSettings, parseEgressAllow } from './destination.js';
export { EGRESS_ERROR_CODES, EgressError, type EgressErrorCode, type EgressPhase } from './errors.js';
export { isClientHeader, type RequestHeaders } from './exchange.js';
export type { Timeouts } from './exchange-clock.js';
export {
  type NameServerOptions,
  nameServerResolver,
  nameServerTextResolver,
  type Resolver,
  type TextResolver,
} from './resolver.js';
