import { PassThrough } from 'node:stream';
import { PlatformError } from '@crm/contracts';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { deadlineMs, readBody } from './edge-proxy.js';

const KIBIBYTE = 1024;

describe('a body that is read', () => {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const start = (most: number) => {
    const payload = new PassThrough();
    const outcomes: unknown[] = [];
    readBody(payload, most, (error, body) => {
      outcomes.push(error instanceof PlatformError ? error.code : (error ?? body?.toString()));
    });
    return { payload, outcomes };
  };
  const settled = () => new Promise((resolve) => setImmediate(resolve));

  it('is handed over once, and its deadline is forgotten', async () => {
    const { payload, outcomes } = start(10);
    payload.write('abc');
    payload.end('def');
    await settled();
    expect(outcomes).toEqual(['abcdef']);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('is refused at the first byte too many, before its end', async () => {
    const { payload, outcomes } = start(5);
    payload.write('abcde');
    await settled();
    expect(outcomes).toEqual([]);
    payload.write('f');
    await settled();
    expect(outcomes).toEqual(['PAYLOAD_TOO_LARGE']);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('has time in proportion to its length, however it trickles', async () => {
    expect([1, 256 * KIBIBYTE, 1024 * KIBIBYTE].map(deadlineMs)).toEqual([3000, 3000, 5000]);
    const { payload, outcomes } = start(16 * KIBIBYTE);
    for (let second = 0; second < 2; second += 1) {
      payload.write('x');
      await settled();
      jest.advanceTimersByTime(1000);
    }
    expect(outcomes).toEqual([]);
    jest.advanceTimersByTime(1000);
    expect(outcomes).toEqual(['REQUEST_TIMEOUT']);
    payload.end('x');
    await settled();
    expect(outcomes).toHaveLength(1);
  });

  it('that breaks off is no body', async () => {
    const { payload, outcomes } = start(10);
    payload.write('abc');
    payload.destroy(new Error('ECONNRESET'));
    await settled();
    expect(outcomes).toEqual(['MALFORMED_REQUEST']);
    expect(jest.getTimerCount()).toBe(0);
  });
});
