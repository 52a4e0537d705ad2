import { type ServiceName, servesOperators } from '@crm/contracts';
import type { ServiceConfig } from '@crm/runtime';
import { testNats } from './test-nats.js';
import { TEST_ISSUER } from './test-tokens.js';

/** What a service in a test is told of itself: free ports, the NATS server of the test file, no logs. */
export function testServiceConfig(name: ServiceName): ServiceConfig {
  const { url, passwords } = testNats();
  return {
    name,
    profile: 'test',
    host: '127.0.0.1',
    port: 0,
    operationsPort: 0,
    ...(servesOperators(name) && { operatorsPort: 0 }),
    logLevel: 'silent',
    issuer: TEST_ISSUER,
    baseUrl: TEST_ISSUER,
    embedApiUrl: 'http://127.0.0.1:8081',
    trustedProxies: [],
    drainSeconds: 1,
    nats: { url, user: name, password: passwords[name], service: name },
  };
}
