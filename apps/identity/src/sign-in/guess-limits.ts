import { createHmac, randomInt, timingSafeEqual } from 'node:crypto';
import { PlatformError } from '@crm/contracts';
import { Database } from '@crm/database';
import { EncryptionKeys } from '@crm/encryption';
import { addressKey, Limiter, LimiterStore, LimitGroup } from '@crm/limits';
import { Inject, Injectable } from '@nestjs/common';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { CodeGuess, type GuessSurface } from './sign-in.entity.js';

/**
 * Takes a try, before the code is compared; gives no row while the user has to wait. The tries since the last right code
 * count: the first few are free, each later one doubles the wait, up to a bound. Tries at the same time follow each other at
 * the row, so they are no more than one by one. After a day without a try the count begins again.
 * $1: tenant, $2: user, $3: where the code is given, $4: free tries, $5: seconds of the first wait, $6: of the longest.
 */
export const TAKE_GUESS = `
  INSERT INTO code_guess AS g (tenant_id, user_id, place, tries, last_at, next_at)
  VALUES ($1, $2, $3, 1, clock_timestamp(), clock_timestamp())
  ON CONFLICT (tenant_id, user_id, place) DO UPDATE SET
    tries = CASE WHEN g.last_at < clock_timestamp() - interval '1 day' THEN 1 ELSE g.tries + 1 END,
    last_at = clock_timestamp(),
    next_at = clock_timestamp() + make_interval(secs =>
      CASE WHEN g.tries + 1 < $4::integer OR g.last_at < clock_timestamp() - interval '1 day' THEN 0
           ELSE LEAST($5::float8 * power(2, LEAST(g.tries + 1 - $4::integer, 20)), $6::float8) END)
  WHERE g.next_at <= clock_timestamp()
  RETURNING tries`;

/** Seconds that the user still has to wait. $1: tenant, $2: user, $3: where the code is given. */
export const WAIT_OF_GUESS = `
  SELECT ceil(extract(epoch FROM next_at - clock_timestamp()))::integer AS "seconds"
    FROM code_guess WHERE tenant_id = $1 AND user_id = $2 AND place = $3`;

/** A guesser who knows the password finds one of a million codes on the first day with a probability of 1 in 9,500. */
export const FREE_TRIES = 5;

export const FIRST_WAIT_SECONDS = 60;

export const LONGEST_WAIT_SECONDS = 3600;

/** Bounds the codes that are tried for a user, over all challenges and replicas. It slows down and never locks. */
@Injectable()
export class CodeGuessService {
  constructor(private readonly database: Database) {}

  /** @throws PlatformError RATE_LIMITED while the user has to wait */
  async take(tenantId: string, userId: string, place: GuessSurface): Promise<void> {
    // A transaction of its own: the try counts even though the answer is an error.
    const waitSeconds = await this.database.transaction(tenantId, async (tx) => {
      const parameters = [tenantId, userId, place];
      const taken = await tx.query(TAKE_GUESS, [...parameters, FREE_TRIES, FIRST_WAIT_SECONDS, LONGEST_WAIT_SECONDS]);
      if (taken.length === 1) return 0;
      const [wait] = await tx.query<{ seconds: number }>(WAIT_OF_GUESS, parameters);
      return Math.max(1, wait?.seconds ?? 1);
    });
    if (waitSeconds > 0) {
      throw new PlatformError('RATE_LIMITED', 'Too many wrong codes. Try again later', {
        retryAfterSeconds: waitSeconds,
      });
    }
  }

  async clear(tenantId: string, userId: string, place: GuessSurface): Promise<void> {
    await this.database.transaction(tenantId, (tx) => tx.repository(CodeGuess).delete({ tenantId, userId, place }));
  }
}

const CODE_DIGITS = 6;

@Injectable()
export class MailCodes {
  /** The current one first; a code that was stored with an older one is valid for minutes. */
  private readonly macKeys: readonly [Buffer, ...Buffer[]];

  constructor(@Inject(IDENTITY_CONFIG) config: IdentityConfig) {
    this.macKeys = EncryptionKeys.parse(config.keyEncryptionKey).derive('identity.mfa-code');
  }

  generate(): string {
    return String(randomInt(10 ** CODE_DIGITS)).padStart(CODE_DIGITS, '0');
  }

  mac(challengeId: string, code: string): Buffer {
    return macOf(this.macKeys[0], challengeId, code);
  }

  isRight(challengeId: string, code: string, stored: Buffer): boolean {
    return this.macKeys.some((key) => timingSafeEqual(stored, macOf(key, challengeId, code)));
  }
}

const macOf = (key: Buffer, challengeId: string, code: string): Buffer =>
  createHmac('sha256', key).update(`${challengeId}.${code}`).digest();

/** Challenges of one kind are not answered at the address of the other. */
export type AccountKind = 'users' | 'operators';

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
