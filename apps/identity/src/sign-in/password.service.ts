import { createHash, createHmac, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual, promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { PlatformError } from '@crm/contracts';
import { EncryptionKeys } from '@crm/encryption';
import { addressKey } from '@crm/limits';
import { Inject, Injectable } from '@nestjs/common';
import { hash, hashRaw, parseOptions, verify } from '@node-rs/argon2';
import type { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { HashPool } from './hash-pool.js';

/** Characters. NIST SP 800-63B asks for 8 at least, and for 15 where a password is the only factor. */
export const PASSWORD_LENGTH = { min: 12, max: 256 } as const;

/** The field of a password that is set. */
export const NEW_PASSWORD = {
  minLength: PASSWORD_LENGTH.min,
  maxLength: PASSWORD_LENGTH.max,
  example: 'correct-horse-battery-staple',
};

/** The source of hashes that no person waits for, such as those of programs. */
const NOBODY = '';

/** Hashes and checks passwords by Argon2id, within the bounds of a pool: its errors are those of {@link HashPool.run}. */
@Injectable()
export class PasswordService {
  /** Compared against when there is no account, so that an unknown address takes as long as a known one. */
  private readonly decoy: Promise<string>;

  constructor(private readonly pool: HashPool = new HashPool()) {
    this.decoy = hash(randomBytes(32), pool.cost);
  }

  /** @param source who causes the work (an address, of IPv6 its /64, or a user) @returns PHC string @throws PlatformError SERVICE_UNAVAILABLE */
  async hash(password: string, source = NOBODY): Promise<string> {
    return this.pool.run(addressKey(source), () => hash(password.normalize('NFC'), this.pool.cost));
  }

  /** Takes the same time when there is no hash. @throws PlatformError SERVICE_UNAVAILABLE */
  async matches(stored: string | null | undefined, password: string, source = NOBODY): Promise<boolean> {
    const decoy = await this.decoy;
    const right = await this.pool.run(addressKey(source), () => verify(stored ?? decoy, password.normalize('NFC')));
    return stored ? right : false;
  }

  /**
   * Local accounts of one address share a salt, so that one hash finds and proves the account of a password among any number.
   * @throws PlatformError SERVICE_UNAVAILABLE
   */
  async claimKey(email: string, password: string, source = NOBODY): Promise<Buffer> {
    return this.pool.run(addressKey(source), () => this.keyOf(email, password));
  }

  /** While the pool is busy it is left to a later sign-in. @returns undefined when there is nothing to store */
  async rehash(stored: string, password: string): Promise<string | undefined> {
    const { memoryCost, timeCost, parallelism } = parseOptions(stored);
    const isCurrent =
      isDeepStrictEqual({ memoryCost, timeCost, parallelism }, this.pool.cost) && stored.startsWith('$argon2id$v=19$');
    return isCurrent ? undefined : this.pool.runIfIdle(() => hash(password.normalize('NFC'), this.pool.cost));
  }

  private keyOf(email: string, password: string): Promise<Buffer> {
    const salt = createHash('sha256').update(`claim of ${email}`).digest().subarray(0, 16);
    return hashRaw(password.normalize('NFC'), { ...this.pool.cost, salt });
  }
}

/** Distinguish two passwords where a fast hash is stored, from which a reader of the table could guess a plain one. */
@Injectable()
export class PasswordMarks {
  private readonly key: Buffer;

  constructor(@Inject(IDENTITY_CONFIG) config: IdentityConfig) {
    // Only the current key marks: a mark that another key made is forgotten within the hour, and only counts a guess twice.
    [this.key] = EncryptionKeys.parse(config.keyEncryptionKey).derive('password marks');
  }

  of(password: string): string {
    return createHmac('sha256', this.key).update(password).digest('base64');
  }
}

export interface PasswordOwner {
  email: string;
  name: string;
  workspace?: string;
}

/** Shorter words are in too many good passwords by chance. */
const SHORTEST = 3;
/** Letters that must remain of a password when what is known of its owner is taken out of it. */
const LETTERS_LEFT = 5;

function ownWords({ email, name, workspace = '' }: PasswordOwner): string[] {
  const wholes = [email, name, workspace].map(plain);
  const words = wholes.flatMap((text) => [
    text,
    ...text.split(/[^\p{L}\p{N}]+/u),
    text.replace(/[^\p{L}\p{N}]+/gu, ''),
  ]);
  return [...new Set(words)]
    .filter((word) => word.length >= SHORTEST)
    .sort((left, right) => right.length - left.length);
}

function consistsOf(password: string, words: readonly string[]): boolean {
  const text = plain(password);
  const rest = words.reduce((left, word) => left.replaceAll(word, ' '), text);
  return rest !== text && rest.replace(/\P{L}+/gu, '').length < LETTERS_LEFT;
}

const plain = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();

/** Characters that are looked at: time grows faster than length, and a password that is weak so far is refused anyway. */
const LONGEST = 40;

let estimator: Promise<ZxcvbnFactory> | undefined;

/** Some 50,000 passwords and 8,000 words, read with the first password: most processes never need them. */
async function openEstimator(): Promise<ZxcvbnFactory> {
  const [{ ZxcvbnFactory }, { adjacencyGraphs, dictionary }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ]);
  return new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs, maxLength: LONGEST });
}

/** Beginnings of the SHA-256 of 43,940 passwords, in ascending order (docs/supply-chain.md says where they are from). */
const BREACHED = new URL('./breached-passwords.br', import.meta.url);
/** One of 25 million passwords has the beginning of its hash in common with one of these. */
const HASH_BYTES = 5;

let list: Promise<Buffer> | undefined;

/** One of the million most common, in whatever case. Read with the first password: most processes never need it. */
async function isBreached(password: string): Promise<boolean> {
  list ??= readFile(BREACHED).then(promisify(brotliDecompress));
  const hashes = await list;
  const hash = createHash('sha256').update(password.normalize('NFC').toLowerCase()).digest().subarray(0, HASH_BYTES);
  let [low, high] = [0, hashes.length / HASH_BYTES];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const order = hash.compare(hashes, middle * HASH_BYTES, (middle + 1) * HASH_BYTES);
    if (order === 0) return true;
    if (order < 0) high = middle;
    else low = middle + 1;
  }
  return false;
}

/** zxcvbn's "safely unguessable: moderate protection from offline slow-hash scenario", its score 3 of 4. */
const LEAST_GUESSES = 1e8;

@Injectable()
export class PasswordPolicy {
  /** Takes milliseconds of the processor: callers check a limit first. @throws PlatformError WEAK_PASSWORD */
  async assertAcceptable(password: string, owner: PasswordOwner, pointer = '/password'): Promise<void> {
    if (await isBreached(password)) {
      throw weak(pointer, 'COMMON_PASSWORD', 'This password appeared in a data breach. Choose another');
    }
    const words = ownWords(owner);
    estimator ??= openEstimator();
    const { guesses, sequence } = (await estimator).check(password.normalize('NFC').slice(0, LONGEST), words);
    const usesOwnWords = sequence.some((part) => part.dictionaryName === 'userInputs');
    if (consistsOf(password, words) || (guesses < LEAST_GUESSES && usesOwnWords)) {
      throw weak(
        pointer,
        'OWN_DATA_PASSWORD',
        "The password contains your address, your name, or the workspace's name",
      );
    }
    if (guesses < LEAST_GUESSES) {
      throw weak(pointer, 'COMMON_PASSWORD', 'The password follows a common pattern');
    }
  }
}

/** @throws PlatformError WEAK_PASSWORD */
export function assertAnother(current: string, password: string): void {
  if (password.normalize('NFC') !== current.normalize('NFC')) return;
  throw weak('/newPassword', 'SAME_PASSWORD', 'The new password must be different from the current one');
}

function weak(pointer: string, code: string, detail: string): PlatformError {
  return new PlatformError('WEAK_PASSWORD', detail, { errors: [{ pointer, code, detail }] });
}
