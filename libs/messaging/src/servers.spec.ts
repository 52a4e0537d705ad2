import { describe, expect, it } from '@jest/globals';
import { serversOf } from './nats-connection.js';

describe('the servers to connect to', () => {
  it('are the addresses between the commas, without TLS of their own accord', () => {
    expect(serversOf('nats://a:4222,nats://b:4222')).toEqual({ servers: ['nats://a:4222', 'nats://b:4222'] });
  });

  it('must offer TLS when an address says so', () => {
    expect(serversOf('tls://nats:4222')).toEqual({ servers: ['tls://nats:4222'], tls: {} });
  });
});
