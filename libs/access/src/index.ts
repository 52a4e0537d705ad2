export {
  ACCESS_OPTIONS,
  ACCESS_RULE,
  Access,
  type AccessRule,
  AccessTokenGuard,
  AccessTokenStrategy,
  ApplicationStrategy,
  type AuthenticatedCall,
  bearerToken,
  type CredentialRequest,
  CurrentPrincipal,
  callOf,
  declaresKeyAccess,
  declaresProof,
  Proven,
  PUBLIC_ROUTE,
  Public,
  StrategyGuard,
} from './access.guard.js';
export { AccessModule } from './access.module.js';
export { API_KEY_PREFIX, apiKeyFingerprint, apiKeyStart, makeApiKey, readApiKey } from './api-key.js';
export { KEY_AUDIENCES, KeySource, ProofSource, RevocationSource } from './key-ring.js';
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
export { authorize, hasScope, MAX_CUTOFF_AGE_MS, RightsGuard, requireScope, type ScopeHolder } from './rights.guard.js';
export { TokenVerifier, uuidTimeMs } from './token-verifier.js';
