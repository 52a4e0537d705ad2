import { describe, expect, it } from '@jest/globals';
import { JetStreamApiError } from '@nats-io/jetstream';
import { errors } from '@nats-io/nats-core';
import { isRefusal } from './refused-events.js';

const api = (status: number, code: number) => new JetStreamApiError({ code: status, err_code: code, description: 'x' });

describe('a refusal', () => {
  it.each<[string, Error]>([
    ['a subject that the service may not publish', new errors.PermissionViolationError('x', 'publish', 'events.x')],
    [
      'an event larger than the server takes',
      errors.InvalidArgumentError.format('payload', 'max_payload size exceeded'),
    ],
    ['an event larger than the stream takes', api(400, 10_054)],
    ['headers that are too large', api(400, 10_097)],
  ])('is %s', (_what, error) => {
    expect(isRefusal(error)).toBe(true);
  });

  it.each<[string, Error]>([
    ['no responders', new errors.NoRespondersError('events.x')],
    ['no answer in time', new errors.TimeoutError()],
    ['a lost connection', new errors.ConnectionError('lost')],
    ['a closed connection', new errors.ClosedConnectionError()],
    ['an inbox that the service may not subscribe to', new errors.PermissionViolationError('x', 'subscription', 'x')],
    ['an unavailable cluster', api(503, 10_008)],
    ['a stream that cannot store', api(503, 10_077)],
    ['no more storage', api(500, 10_047)],
    ['an account at its limits', api(400, 10_002)],
    ['another stream', api(400, 10_060)],
    ['an answer that is none', new Error('x')],
  ])('is not %s', (_what, error) => {
    expect(isRefusal(error)).toBe(false);
  });
});
