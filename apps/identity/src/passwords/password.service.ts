import { createHash, randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { addressKey } from '@crm/limits';
import { Injectable } from '@nestjs/common';
import { hash, hashRaw, parseOptions, verify } from '@node-rs/argon2';
import { HashPool } from './hash-pool.js';

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
