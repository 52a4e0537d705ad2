export type { Principal } from './principal.js';
export { pooledRandom } from './random.js';
export {
  currentRequestContext,
  currentTraceparent,
  type RequestContext,
  runInRequestContext,
} from './request-context.js';
export { continueTrace } from './traceparent.js';
