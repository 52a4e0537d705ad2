import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { provisionStreams } from '../src/index.js';
import { type Broker, PASSWORD, startBroker } from './fixture.js';

describe('an address with tls://', () => {
  let broker: Broker;
  beforeAll(async () => {
    broker = await startBroker();
  });
  afterAll(() => broker.stop());

  it('is not connected to when the server offers no TLS', async () => {
    const url = broker.url.replace('nats://', 'tls://');
    const connected = provisionStreams({ url, user: 'provisioner', password: PASSWORD }, { replicas: 1 });
    await expect(connected).rejects.toThrow(/does not support 'tls'/);
  });
});
