export { ACCESS_RULE, Access, type AccessRule, CurrentPrincipal, PUBLIC_ROUTE, Public } from './access.decorator.js';
export { AccessGuard } from './access.guard.js';
export { AccessModule } from './access.module.js';
export { ACCESS_OPTIONS, type AccessOptions } from './access-options.js';
export { authorize } from './authorize.js';
export { bearerToken } from './bearer.js';
export { uuidTimeMs } from './claims.js';
export { KEY_AUDIENCES, KeySource } from './key-source.js';
export type { Principal } from './principal.js';
export {
  currentRequestContext,
  currentRequestId,
  currentTraceparent,
  type RequestContext,
  runInRequestContext,
} from './request-context.js';
export { RevocationSource } from './revocation-source.js';
export { TokenVerifier, type TokenVerifierOptions } from './token-verifier.js';
export { continueTrace } from './traceparent.js';
