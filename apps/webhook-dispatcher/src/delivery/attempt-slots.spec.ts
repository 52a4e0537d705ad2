import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { WebhookConfig } from '../config.js';
import type { RateLimits } from '../receivers/rate-limits.js';
import type { AttemptOutcome, Receiver } from '../receivers/receiver.js';
import { ReceiverLimits } from '../receivers/receiver-limits.js';
import { AttemptSlots } from './attempt-slots.js';

const CONFIG = {
  delivery: { retryDelaysMs: [0], concurrency: 8, slowConcurrency: 8, concurrencyPerSubscription: 2 },
} satisfies Pick<WebhookConfig, 'delivery'>;

/** No receiver has a rate limit. */
const NO_RATES = {
  onPermit: () => undefined,
  available: () => Number.POSITIVE_INFINITY,
  begun: () => undefined,
  narrowed: () => new Map(),
  nextOpening: () => null,
} as unknown as RateLimits;

const receiver = (tenantId: string, subscriptionId: string): Receiver =>
  ({
    tenantId,
    subscriptionId,
    url: `https://${subscriptionId}.example/`,
    origin: `https://${subscriptionId}.example`,
  }) as Receiver;

const outcome = (changes: Partial<AttemptOutcome> = {}): AttemptOutcome => ({
  at: new Date(),
  latencyMs: 1,
  httpStatus: 204,
  error: null,
  responseExcerpt: null,
  retryAfterMs: null,
  ...changes,
});

describe('the slots of first attempts', () => {
  let limits: ReceiverLimits;
  let slots: AttemptSlots;
  afterEach(() => void jest.useRealTimers());
  beforeEach(() => {
    jest.useFakeTimers();
    limits = new ReceiverLimits(NO_RATES, CONFIG);
    slots = new AttemptSlots(limits, NO_RATES, CONFIG);
  });

  const end = (of: Receiver) => {
    limits.ended(of, outcome(), false, performance.now());
    slots.release(of.tenantId);
  };
  const tick = () => jest.advanceTimersByTimeAsync(0);
  /** Returns whether something has been decided by now. */
  const settled = async (promise: Promise<unknown>) => {
    let isSettled = false;
    void promise.finally(() => {
      isSettled = true;
    });
    await jest.advanceTimersByTimeAsync(0);
    return isSettled;
  };

  it('are given to those of a receiver in order, when it has capacity again', async () => {
    const one = receiver('t', 'one');
    expect([await slots.acquire(one), await slots.acquire(one)]).toEqual([true, true]);
    const [third, fourth] = [slots.acquire(one), slots.acquire(one)];
    expect(await settled(third)).toBe(false);
    end(one);
    expect(await third).toBe(true);
    expect(await settled(fourth)).toBe(false);
    end(one);
    expect(await fourth).toBe(true);
  });

  it('are waited for a moment only, for as long as the receiver is what is waited for', async () => {
    const one = receiver('t', 'one');
    await slots.acquire(one);
    await slots.acquire(one);
    const third = slots.acquire(one);
    await jest.advanceTimersByTimeAsync(250);
    expect(await third).toBe(false);
  });

  it('are left to other tenants by one that has its share', async () => {
    for (const name of ['a', 'b', 'c', 'd']) expect(await slots.acquire(receiver('busy', name))).toBe(true);
    expect(await settled(slots.acquire(receiver('busy', 'e')))).toBe(false);
    expect(await slots.acquire(receiver('other', 'f'))).toBe(true);
  });

  it('hold back further events when enough wait for them, and none when they wait for their receiver', async () => {
    const slow = receiver('slow', 'slow');
    await slots.acquire(slow);
    await slots.acquire(slow);
    for (let count = 0; count < 128; count += 1) void slots.acquire(slow);
    for (const tenant of ['x', 'y', 'z']) {
      for (let count = 0; count < 4; count += 1)
        await Promise.race([slots.acquire(receiver(tenant, `${tenant}${count}`)), settled(Promise.resolve())]);
    }
    const admitted: string[] = [];
    const admit = (tenant: string) => void slots.admit(tenant, () => admitted.push(tenant));
    admit('x');
    expect(admitted).toEqual(['x']);
    for (const tenant of ['x', 'y', 'z'])
      for (let count = 0; count < 120; count += 1) void slots.acquire(receiver(tenant, `${tenant}-${count}`));
    for (const tenant of ['x', 'x', 'y', 'other']) admit(tenant);
    // Which has nothing that waits.
    expect(admitted).toEqual(['x', 'other']);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(admitted.slice(2).sort()).toEqual(['x', 'x', 'y']);
  });

  it('go to tenants in turn, however many receivers each has', async () => {
    for (const tenant of ['a', 'b', 'c', 'd'])
      for (let count = 0; count < 4; count += 1)
        await Promise.race([slots.acquire(receiver(tenant, `${tenant}${count}`)), tick()]);
    const begun: string[] = [];
    const wait = (tenant: string, name: string) =>
      void slots.acquire(receiver(tenant, name)).then((hasSlot) => hasSlot && begun.push(tenant));
    for (let count = 0; count < 20; count += 1) wait('many', `many${count}`);
    wait('few', 'few');
    for (const name of ['a0', 'a1', 'a2', 'a3']) end(receiver('a', name));
    await tick();
    expect(begun.slice(0, 2).sort()).toEqual(['few', 'many']);
  });
});

describe('what is known of limits', () => {
  let limits: ReceiverLimits;
  beforeEach(() => {
    limits = new ReceiverLimits(NO_RATES, CONFIG);
  });
  const attempt = (of: Receiver, result: AttemptOutcome, now = 0) => {
    limits.begun(of);
    limits.ended(of, result, false, now);
  };
  it('shares the slots of an origin, and leaves out who gets none until there may be capacity, also when it was never attempted', () => {
    const at = (tenantId: string, subscriptionId: string) => ({
      ...receiver(tenantId, subscriptionId),
      origin: 'https://one.example',
    });
    const targets = ['a', 'b', 'c', 'd'].map((name) => at('t', name));
    const wanted = [...targets, at('u', 'e')].map((one) => ({ receiver: one, count: 2 }));
    const share = () => limits.share([...wanted, { receiver: undefined, count: 3 }], 0);
    const [begun] = targets;
    limits.begun(begun as Receiver);
    expect([share(), share()]).toEqual(Array(2).fill([1, 2, 0, 0, 2, 3]));
    for (const { receiver: one } of wanted.slice(1, 4)) limits.begun(one);
    expect(limits.narrowed(0)).toEqual(new Map(Object.entries({ a: 0, b: 0, c: 0, d: 0 })));
  });

  it('leaves a receiver alone for as long as it asks', () => {
    const one = receiver('t', 'one');
    attempt(
      one,
      outcome({ httpStatus: 429, error: { code: 'http_4xx', message: 'later' }, retryAfterMs: 60_000 }),
      1_000,
    );
    expect(limits.mayBegin(one, 60_999)).toBe(false);
    expect(limits.mayBegin(one, 61_000)).toBe(true);
  });

  it('takes a receiver for slow while one of its attempts is', () => {
    const one = receiver('t', 'one');
    limits.begun(one);
    limits.becameSlow(one);
    expect(limits.isSlow(one, 0)).toBe(true);
    limits.ended(one, outcome(), true, 0);
    expect(limits.isSlow(one, 0)).toBe(false);
  });
});
