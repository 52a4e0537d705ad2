import { testNats } from '@crm/testing';
import { describe, expect, it } from '@jest/globals';
import { provisionStreams } from '../src/index.js';

describe('an address with tls://', () => {
  it('is not connected to when the server offers no TLS', async () => {
    const { url, passwords } = testNats();
    const secured = { url: url.replace('nats://', 'tls://'), user: 'provisioner', password: passwords.provisioner };
    await expect(provisionStreams(secured, { replicas: 1 })).rejects.toThrow(/does not support 'tls'/);
  });
});
