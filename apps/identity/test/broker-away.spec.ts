import { NatsConnection, RevocationWatch } from '@crm/messaging';
import { testServiceConfig, waitUntil, withoutTestNats } from '@crm/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { PASSWORD, TestIdentity } from './identity.js';

const { identity, replica } = TestIdentity.replicasOfFile();
let connection: NatsConnection;
/** What another service knows. */
let watch: RevocationWatch;

beforeAll(async () => {
  connection = await NatsConnection.open(testServiceConfig('gateway').nats);
  watch = new RevocationWatch(connection);
  watch.start();
  await waitUntil(() => watch.ready, { describe: 'the cut-offs' });
});
afterAll(async () => {
  await watch?.stop();
  await connection?.close();
});

it('signs in, refreshes and ends sessions while the broker is away: identity at once, everybody else within a second of its return', async () => {
  const { email, accessToken } = await identity.account();
  const isKnown = () => watch.isRevoked(decodeJwt(accessToken) as never);
  await withoutTestNats(async () => {
    const { status, body } = await identity.post('/api/auth/login', { email, password: PASSWORD });
    expect(status).toBe(200);
    expect((await identity.post('/api/auth/refresh', { refreshToken: body.refreshToken })).status).toBe(200);
    expect((await identity.post('/api/auth/logout', {}, accessToken)).status).toBeLessThan(300);
    // Both processes judge by their database.
    await Promise.all([identity.refuses(accessToken), replica.refuses(accessToken)]);
    expect(isKnown()).toBe(false);
  });
  await waitUntil(isKnown, { timeoutMs: 1_000, describe: 'the token is refused everywhere' });
});
