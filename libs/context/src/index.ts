export type { CallOrigin } from './call-origin.js';
export type { Principal } from './principal.js';
export { pooledRandom } from './random.js';
export { logMembers, type RequestContext } from './request-context.js';
export {
  continueTrace,
  markNewTraces,
  newSpan,
  newTrace,
  parseTraceparent,
  type TraceParent,
} from './traceparent.js';
