import { createHmac, randomBytes } from 'node:crypto';
import { EncryptionKeys } from '@crm/encryption';
import { Inject, Injectable } from '@nestjs/common';
import { hash, parseOptions, verify } from '@node-rs/argon2';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { HashPool } from './hash-pool.js';

/** Argon2id with 19 MiB, two passes, one lane: the first choice of the OWASP Password Storage Cheat Sheet. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

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

/** Hashes and checks passwords within the bounds of a pool: its errors are those of {@link HashPool.run}. */
@Injectable()
export class PasswordService {
  /** Compared against when there is no account, so that an unknown address takes as long as a known one. */
  private readonly decoy = hash(randomBytes(32), PARAMETERS);

  constructor(private readonly pool: HashPool = new HashPool()) {}

  /**
   * @param source who causes the work (an address, a user)
   * @returns PHC string
   * @throws PlatformError SERVICE_UNAVAILABLE
   */
  async hash(password: string, source = NOBODY): Promise<string> {
    return this.pool.run(source, () => hash(password.normalize('NFC'), PARAMETERS));
  }

  /** Takes the same time when there is no hash. @throws PlatformError SERVICE_UNAVAILABLE */
  async matches(stored: string | null | undefined, password: string, source = NOBODY): Promise<boolean> {
    const decoy = await this.decoy;
    const right = await this.pool.run(source, () => verify(stored ?? decoy, password.normalize('NFC')));
    return stored ? right : false;
  }

  /** While the pool is busy it is left to a later sign-in. @returns undefined when there is nothing to store */
  async rehash(stored: string, password: string): Promise<string | undefined> {
    const { memoryCost, timeCost, parallelism } = parseOptions(stored);
    const isCurrent =
      memoryCost === PARAMETERS.memoryCost &&
      timeCost === PARAMETERS.timeCost &&
      parallelism === PARAMETERS.parallelism &&
      stored.startsWith('$argon2id$v=19$');
    return isCurrent ? undefined : this.pool.runIfIdle(() => hash(password.normalize('NFC'), PARAMETERS));
  }
}

/** Distinguish two passwords where a fast hash is stored, from which a reader of the table could guess a plain one. */
@Injectable()
export class PasswordMarks {
  private readonly key: Buffer;

  constructor(@Inject(IDENTITY_CONFIG) config: IdentityConfig) {
    // Of the current key alone: a mark that another key made is forgotten within the hour, and only counts a guess twice.
    [this.key] = EncryptionKeys.parse(config.keyEncryptionKey).derive('password marks');
  }

  of(password: string): string {
    return createHmac('sha256', this.key).update(password).digest('base64');
  }
}
