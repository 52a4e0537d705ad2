export {
  ACCESS_RULE,
  Access,
  type AccessRule,
  type AuthenticatedCall,
  CurrentPrincipal,
  callOf,
  PUBLIC_ROUTE,
  Public,
} from './access.decorator.js';
export {
  ACCESS_OPTIONS,
  AccessTokenGuard,
  AccessTokenStrategy,
  ApplicationStrategy,
  authorize,
  bearerToken,
  type CredentialRequest,
  hasScope,
  Proven,
  RightsGuard,
  requireScope,
  type ScopeHolder,
  StrategyGuard,
} from './access.guard.js';
export { AccessModule } from './access.module.js';
export { API_KEY_PREFIX, apiKeyFingerprint, apiKeyStart, makeApiKey, readApiKey } from './api-key.js';
export { KEY_AUDIENCES, KeySource, RevocationSource } from './key-ring.js';
export {
  type CallOrigin,
  continueTrace,
  logMembers,
  markNewTraces,
  newSpan,
  newTrace,
  type Principal,
  parseTraceparent,
  pooledRandom,
  type RequestContext,
  type TraceParent,
} from './request-context.js';
export { TokenVerifier, uuidTimeMs } from './token-verifier.js';
