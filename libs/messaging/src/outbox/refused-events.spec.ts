import { describe, expect, it } from '@jest/globals';
import { JetStreamApiError } from '@nats-io/jetstream';
import { errors } from '@nats-io/nats-core';
import { isRefusal, RefusedEvents } from './refused-events.js';

const event = (seq: number) => ({ seq, id: `id ${seq}` });

describe('refused events', () => {
  it('are tried again after growing pauses and then given up', () => {
    const refused = new RefusedEvents({ delaysMs: [10, 20], limit: 10 });
    refused.refuse(event(7), 'no', 0);
    expect([refused.due(9, 5), refused.nextInMs(4), refused.due(10, 5)]).toEqual([[], 6, [7]]);
    refused.refuse(event(7), 'no', 10);
    expect([refused.due(29, 5), refused.due(30, 5), refused.hopeless()]).toEqual([[], [7], []]);
    refused.refuse(event(7), 'still no', 30);
    expect(refused.hopeless()).toMatchObject([{ seq: 7, id: 'id 7', reason: 'still no', tries: 3 }]);
    refused.forget([7]);
    expect([refused.hopeless(), refused.has(7), refused.nextInMs(0)]).toEqual([[], false, Number.POSITIVE_INFINITY]);
  });

  it('are given up early, the oldest first, when too many wait and the broker accepts others', () => {
    const refused = new RefusedEvents({ delaysMs: [1_000], limit: 4 });
    for (const seq of [1, 2, 3, 4]) refused.refuse(event(seq), 'no', 0);
    expect([refused.isFull, refused.hopeless()]).toEqual([true, []]);
    refused.accept(1);
    expect(refused.hopeless().map(({ seq }) => seq)).toEqual([1, 2]);
    refused.forget([1, 2]);
    expect([refused.isFull, refused.hopeless()]).toEqual([false, []]);
  });
});

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
