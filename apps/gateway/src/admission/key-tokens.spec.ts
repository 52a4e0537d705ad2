import { PlatformError } from '@crm/contracts';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { KeyTokens, type TokenOfKey } from './api-key.service.js';

describe('the tokens of keys', () => {
  let nowMs: number;
  let tokens: KeyTokens;
  let exchange: jest.Mock<() => Promise<TokenOfKey>>;

  beforeEach(() => {
    nowMs = 1_000_000;
    tokens = new KeyTokens(() => nowMs);
    exchange = jest.fn(async () => ({ token: 'token', expiresIn: 120 }));
  });

  const refuse = () => exchange.mockRejectedValue(new PlatformError('INVALID_API_KEY'));
  const obtain = async (fingerprint = 'a') => tokens.obtain(fingerprint, exchange);
  const codeOf = (call: Promise<unknown>) => call.catch((error: PlatformError) => error.code);

  it('are kept for a minute from when they were asked for, and never for longer than they are valid', async () => {
    exchange.mockImplementation(async () => {
      nowMs += 500;
      return { token: 'token', expiresIn: 120 };
    });
    expect(tokens.get('a')).toBeUndefined();
    expect(await obtain()).toBe('token');
    expect(tokens.get('a')).toBe('token');
    expect(tokens.get('b')).toBeUndefined();
    nowMs += 59_499;
    expect(tokens.get('a')).toBe('token');
    nowMs += 1;
    expect(tokens.get('a')).toBeUndefined();
    exchange.mockResolvedValue({ token: 'token', expiresIn: 3 });
    await obtain();
    nowMs += 2_999;
    expect(tokens.get('a')).toBe('token');
    nowMs += 1;
    expect(tokens.get('a')).toBeUndefined();
  });

  it('are asked for once, however many wait, and for each key apart', async () => {
    const answers: ((token: TokenOfKey) => void)[] = [];
    exchange.mockReturnValueOnce(new Promise((resolve) => answers.push(resolve)));
    const waiting = Array.from({ length: 50 }, () => obtain('a'));
    expect(await obtain('b')).toBe('token');
    expect(exchange).toHaveBeenCalledTimes(2);
    answers[0]?.({ token: 'of a', expiresIn: 120 });
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['of a']));
    expect(exchange).toHaveBeenCalledTimes(2);
  });

  it('are refused for ten seconds without asking, when identity refused the key', async () => {
    refuse();
    for (let attempt = 0; attempt < 20; attempt += 1) expect(await codeOf(obtain())).toBe('INVALID_API_KEY');
    expect(exchange).toHaveBeenCalledTimes(1);
    nowMs += 10_000;
    expect(await codeOf(obtain())).toBe('INVALID_API_KEY');
    expect(exchange).toHaveBeenCalledTimes(2);
  });

  it('are asked for again at once when identity did not answer, and when they are forgotten', async () => {
    exchange.mockRejectedValueOnce(new PlatformError('SERVICE_UNAVAILABLE'));
    expect(await codeOf(obtain())).toBe('SERVICE_UNAVAILABLE');
    expect(await obtain()).toBe('token');
    tokens.forget('a');
    expect(tokens.get('a')).toBeUndefined();
    await obtain();
    expect(exchange).toHaveBeenCalledTimes(3);
  });

  it('of keys in use stay, however many invented ones are refused', async () => {
    await obtain('good');
    refuse();
    for (let n = 0; n < 20_000; n += 1) await codeOf(obtain(`bad-${n}`));
    expect(tokens.get('good')).toBe('token');
  });

  it('are asked for by a bounded number of calls at a time', async () => {
    exchange.mockImplementation(() => new Promise(() => undefined));
    for (let n = 0; n < 1_000; n += 1) void obtain(`key-${n}`);
    expect(await codeOf(obtain('one more'))).toBe('SERVICE_UNAVAILABLE');
  });
});
