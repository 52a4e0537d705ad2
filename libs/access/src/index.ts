export { ACCESS_RULE, Access, type AccessRule, CurrentPrincipal, PUBLIC_ROUTE, Public } from './access.decorator.js';
export { AccessModule } from './access.module.js';
export { ACCESS_OPTIONS, type AccessOptions } from './access-options.js';
export { AccessTokenGuard } from './access-token.guard.js';
export { AccessTokenStrategy } from './access-token.strategy.js';
export {
  API_KEY_PATTERN,
  API_KEY_PREFIX,
  type ApiKeyIds,
  apiKeyFingerprint,
  apiKeyStart,
  makeApiKey,
  readApiKey,
} from './api-key.js';
export { ApplicationStrategy } from './application.strategy.js';
export { type AuthenticatedCall, callOf } from './authenticated-call.js';
export { authorize, hasScope, requireScope, type ScopeHolder } from './authorize.js';
export { bearerToken } from './bearer.js';
export type { CallOrigin } from './call-origin.js';
export { uuidTimeMs } from './claims.js';
export { KEY_AUDIENCES, KeySource } from './key-source.js';
export type { Principal } from './principal.js';
export { pooledRandom } from './random.js';
export { logMembers, type RequestContext } from './request-context.js';
export { RevocationSource } from './revocation-source.js';
export { RightsGuard } from './rights.guard.js';
export { type CredentialRequest, Proven, StrategyGuard } from './strategy.guard.js';
export { TokenVerifier, type TokenVerifierOptions } from './token-verifier.js';
export {
  continueTrace,
  markNewTraces,
  newSpan,
  newTrace,
  parseTraceparent,
  type TraceParent,
} from './traceparent.js';
