import { describe, expect, it } from '@jest/globals';
import { addressKey, isLoopback, Limiter, LimitGroup, limitHeaders } from './limiter.js';
import { type Claim, type Decision, LimiterStore, MemoryLimiterStore, type Operation } from './limiter-store.js';

const LIMIT = { name: 'sign-in', points: 2, windowSeconds: 60 };
const STATE = { name: 'sign-in', quota: 2, windowSeconds: 60, remaining: 0, resetSeconds: 30 };
const REFUSED = {
  code: 'RATE_LIMITED',
  message: 'Too many attempts',
  extra: { retryAfterSeconds: 30, limits: [STATE] },
};

/** A store in memory whose time stands still. */
class StillStore extends MemoryLimiterStore {
  us = 1_000_000;

  constructor() {
    super();
    this.nowUs = () => this.us;
  }
}

/** A store that answers later, as a server does. */
class DistantStore extends LimiterStore {
  private readonly memory = new StillStore();

  override async apply(operation: Operation, claims: readonly Claim[]): Promise<Decision> {
    return this.memory.apply(operation, claims);
  }
}

describe.each([
  ['in memory', new StillStore()],
  ['on a server', new DistantStore()],
])('a limiter with its counts %s', (_, store) => {
  const limiter = () => new Limiter(store, LIMIT, 'Too many attempts');
  const consume = async (limit: Limiter, key: string) => limit.consume(key);

  it('returns the remaining points of a key and refuses when none are left, without affecting other keys', async () => {
    const limit = limiter();
    expect(await consume(limit, 'a')).toEqual({ ...STATE, remaining: 1, resetSeconds: 30 });
    expect(await consume(limit, 'a')).toEqual(STATE);
    await expect(consume(limit, 'a')).rejects.toMatchObject(REFUSED);
    expect((await consume(limit, 'b')).remaining).toBe(1);
  });

  it('that counts failures refuses before the attempt and consumes no point for the check', async () => {
    const limit = limiter();
    for (let index = 0; index < 5; index += 1) await limit.refuseExhausted('a');
    await limit.penalise('a');
    await limit.refuseExhausted('a');
    await limit.penalise('a');
    await expect(limit.refuseExhausted('a')).rejects.toMatchObject(REFUSED);
    // Failures that were under way do not make the wait longer than that of an empty limit.
    for (let index = 0; index < 5; index += 1) await limit.penalise('a');
    await expect(limit.refuseExhausted('a')).rejects.toMatchObject(REFUSED);
  });

  it('that gets points back counts only what was not given back', async () => {
    const limit = limiter();
    const group = new LimitGroup([limit]);
    for (let index = 0; index < 5; index += 1) {
      await limit.consume('a');
      await group.giveBack('a');
    }
    expect((await consume(limit, 'a')).remaining).toBe(1);
  });
});

describe('limits of one call', () => {
  const store = new StillStore();
  const wide = new Limiter(store, { name: 'principal', points: 60, windowSeconds: 60, burst: 3 });
  const narrow = new Limiter(store, LIMIT);
  const group = new LimitGroup([wide, narrow]);

  it('are used together or not at all, and a refusal names those up to the exhausted one', async () => {
    expect(group.consume('u', 't')).toMatchObject([{ remaining: 2 }, { remaining: 1 }]);
    expect(group.consume('u', 't')).toMatchObject([{ remaining: 1 }, { remaining: 0 }]);
    const refusal = expect.objectContaining({
      extra: {
        retryAfterSeconds: 30,
        limits: [
          { name: 'principal', quota: 3, windowSeconds: 3, remaining: 1, resetSeconds: 2 },
          expect.objectContaining({ name: 'sign-in', remaining: 0 }),
        ],
      },
    });
    expect(() => group.consume('u', 't')).toThrow(refusal);
    expect(wide.consume('u')).toMatchObject({ remaining: 0 });
    expect(() => group.consume('u', 't')).toThrow(
      expect.objectContaining({ extra: { retryAfterSeconds: 1, limits: [expect.objectContaining({ remaining: 0 })] } }),
    );
    await expect(group.refuseExhausted('x', 't')).rejects.toMatchObject({ extra: { limits: [{}, {}] } });
    await expect(group.refuseExhausted('x', 'x')).resolves.toBeUndefined();
  });

  it('come back with time', () => {
    store.us += 30_000_000;
    expect(group.consume('u', 't')).toMatchObject([{ remaining: 2 }, { remaining: 0 }]);
    expect(() => group.consume('u', 't')).toThrow('');
  });

  it('without points admit nothing', () => {
    const none = new Limiter(store, { ...LIMIT, points: 0 });
    expect(() => none.consume('a')).toThrow(expect.objectContaining({ code: 'RATE_LIMITED' }));
  });

  it('name every policy and the scarcest state in the headers of a response', () => {
    expect(
      limitHeaders([
        { name: 'principal', quota: 10, windowSeconds: 60, remaining: 3, resetSeconds: 20 },
        { name: 'tenant', quota: 100, windowSeconds: 60, remaining: 1, resetSeconds: 5 },
      ]),
    ).toEqual({ 'ratelimit-policy': '"principal";q=10;w=60, "tenant";q=100;w=60', ratelimit: '"tenant";r=1;t=5' });
  });
});

describe('a limiter whose caller is not told', () => {
  it('says whether a point was left', async () => {
    const limit = new Limiter(new StillStore(), LIMIT);
    expect([await limit.admits('a'), await limit.admits('a'), await limit.admits('a')]).toEqual([true, true, false]);
  });

  it('passes on the error of its store', async () => {
    const store = new StillStore();
    store.apply = () => {
      throw new Error('The store is away');
    };
    await expect(new Limiter(store, LIMIT).admits('a')).rejects.toThrow('The store is away');
  });
});

describe('the address of a client', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:0db8:0001:0002::1', '2001:db8:1:2'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['::ffff:c000:201', '192.0.2.1'],
    ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
    // Some load balancers write whom they forward for like this.
    ['192.0.2.1:51234', '192.0.2.1'],
    ['[2001:db8:1:2::3]:51234', '2001:db8:1:2'],
    ['[2001:db8:1:2::4]', '2001:db8:1:2'],
    ['::1', '0:0:0:0'],
    // The client has gone.
    [undefined, ''],
  ])('%s is counted as %s', (address, key) => {
    expect(addressKey(address)).toBe(key);
  });

  it.each([
    ['127.0.0.1', true],
    ['127.9.9.9', true],
    ['::1', true],
    ['::ffff:127.0.0.1', true],
    ['192.0.2.1', false],
    ['::12', false],
  ])('%s is a loopback address: %p', (address, local) => {
    expect(isLoopback(address)).toBe(local);
  });
});
