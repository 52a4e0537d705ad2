export { answerRpc } from './answer-rpc.js';
export { type ExplainOptions, explainStatements } from './explain-statements.js';
export { eventOf, publishEvents } from './publish-event.js';
export {
  type ReceivedRequest,
  type Receiver,
  type ReceiverAnswer,
  type ReceiverCertificate,
  type ReceiverReaction,
  startReceiver,
} from './receiver.js';
export { reinstateTenant, suspendTenant } from './suspend-tenant.js';
export { type TestDatabase, testDatabase } from './test-database.js';
export { provisionTestNats, type TestNats, testNats } from './test-nats.js';
export { type TestRedis, testRedis } from './test-redis.js';
export { startTestService, type TestAnswer, type TestRequest, type TestService } from './test-service.js';
export { testServiceConfig } from './test-service-config.js';
export { TEST_ISSUER, type TestTokens, testTokens } from './test-tokens.js';
export { type WaitOptions, waitUntil } from './wait-until.js';
