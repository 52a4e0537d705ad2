export { answerRpc } from './answer-rpc.js';
export { isOnCluster } from './config.js';
export { explainStatements } from './explain-statements.js';
export { findInStream, findInTables } from './find-text.js';
export { setNodeReachable } from './node-reachable.js';
export { eventOf, publishEvents, reinstateTenant, revokeApp, suspendTenant } from './publish-event.js';
export {
  type ReceivedRequest,
  type Receiver,
  type ReceiverCertificate,
  type ReceiverReaction,
  startReceiver,
} from './receiver.js';
export { compareSchema, readSchema } from './schema.js';
export { stepProblems } from './steps.js';
export { type TestDatabase, testDatabase } from './test-database.js';
export { testNats, withoutTestNats } from './test-nats.js';
export { type TestRedis, testRedis } from './test-redis.js';
export { startTestService, type TestAnswer, type TestRequest, type TestService } from './test-service.js';
export { testServiceConfig } from './test-service-config.js';
export { TEST_ISSUER, type TestTokens, testTokens } from './test-tokens.js';
export { waitUntil } from './wait-until.js';
