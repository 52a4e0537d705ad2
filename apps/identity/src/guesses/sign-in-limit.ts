import { PlatformError } from '@crm/contracts';
import { addressKey, Limiter, LimiterStore, LimitGroup } from '@crm/limits';
import { Injectable } from '@nestjs/common';

/** Tasks of one key that wait: more than any person causes. */
const MOST_WAITING = 50;

class KeyedQueue {
  private readonly tails = new Map<string, Promise<void>>();
  private readonly lengths = new Map<string, number>();

  /** @throws PlatformError SERVICE_UNAVAILABLE when too many tasks of the key wait */
  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const length = this.lengths.get(key) ?? 0;
    if (length > MOST_WAITING)
      throw new PlatformError('SERVICE_UNAVAILABLE', 'Too many attempts in progress. Try again shortly');
    this.lengths.set(key, length + 1);
    const before = this.tails.get(key) ?? Promise.resolve();
    const result = before.then(task);
    // The next in line waits for the end of this task, however it ends; its outcome is the caller's.
    const tail = result.then(
      () => undefined,
      () => undefined,
    );
    this.tails.set(key, tail);
    try {
      return await result;
    } finally {
      const left = (this.lengths.get(key) ?? 1) - 1;
      if (left > 0) this.lengths.set(key, left);
      else this.lengths.delete(key);
      if (this.tails.get(key) === tail) this.tails.delete(key);
    }
  }
}

const QUARTER_HOUR = 15 * 60;

/** Failed attempts on one account from one address: enough for a forgetful person, too few for guessing. */
export const FAILURES_PER_ACCOUNT = 10;

/** Failed attempts from one address on whatever accounts; an office behind one address shares them. */
export const FAILURES_PER_ADDRESS = 100;

export const FAILURES_FROM_ANYWHERE = 30;

/** Failed attempts from a known device, once the account is slowed. */
export const FAILURES_PER_DEVICE = 10;

export interface DeviceAttempt<T> {
  readonly id: string;
  /** Like the attempt, on the device's own account alone; undefined when the device turns out not to be known there. */
  attempt(): Promise<T | undefined>;
}

/**
 * Counts failed sign-ins: per account and address, per address and, for guesses at a password, per account, which known
 * devices pass. An attempt uses its points before it begins and gets them back unless it failed, so that many at once
 * get no more tries than one by one; those of one account and address are decided one after the other.
 */
@Injectable()
export class SignInLimit {
  private readonly limits: LimitGroup;
  private readonly guesses: LimitGroup;
  private readonly devices: LimitGroup;
  private readonly queue = new KeyedQueue();

  constructor(store: LimiterStore) {
    const limiter = (
      name: string,
      points: number,
      windowSeconds = QUARTER_HOUR,
      refusal = 'Too many failed attempts. Try again later',
    ) => new Limiter(store, { name, points, windowSeconds }, refusal);
    const fromOne = [
      limiter('sign-in-account', FAILURES_PER_ACCOUNT),
      limiter('sign-in-address', FAILURES_PER_ADDRESS),
    ];
    this.limits = new LimitGroup(fromOne);
    this.guesses = new LimitGroup([...fromOne, limiter('sign-in-anywhere', FAILURES_FROM_ANYWHERE, 3600, SLOWED)]);
    this.devices = new LimitGroup([limiter('sign-in-device', FAILURES_PER_DEVICE)]);
  }

  /** @param account `challenge:…` @param attempt failed if it rejects with INVALID_CREDENTIALS @throws RATE_LIMITED */
  async attempt<T>(account: string, address: string, attempt: () => Promise<T>): Promise<T> {
    const from = addressKey(address);
    const key = `${account}|${from}`;
    return this.queue.run(key, () => counted(this.limits, [key, from], attempt));
  }

  /** For a password that anybody can guess at. @param device asked only when the attempt would be refused */
  async guess<T>(account: string, address: string, attempt: () => Promise<T>, device?: DeviceAttempt<T>): Promise<T> {
    const from = addressKey(address);
    const key = `${account}|${from}`;
    return this.queue.run(device ? `device:${device.id}` : key, async () => {
      try {
        return await counted(this.guesses, [key, from, account], attempt);
      } catch (refusal) {
        if (!device || !isRefusal(refusal)) throw refusal;
        const outcome = await counted(this.devices, [device.id], device.attempt.bind(device));
        if (outcome === undefined) throw refusal;
        return outcome;
      }
    });
  }
}

const SLOWED =
  "Too many failed attempts on this account. Wait, sign in from a device you've used before, or reset your password";

async function counted<T>(limits: LimitGroup, keys: readonly string[], attempt: () => Promise<T>): Promise<T> {
  await limits.consume(...keys);
  let hasFailed = false;
  try {
    return await attempt();
  } catch (error) {
    hasFailed = error instanceof PlatformError && error.code === 'INVALID_CREDENTIALS';
    throw error;
  } finally {
    if (!hasFailed) await limits.giveBack(...keys);
  }
}

const isRefusal = (error: unknown): boolean => error instanceof PlatformError && error.code === 'RATE_LIMITED';
