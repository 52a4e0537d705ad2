import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { hash, verify } from '@node-rs/argon2';

/**
 * Argon2id with 19 MiB, two passes, one lane: the first choice of the OWASP Password Storage Cheat Sheet. The library's
 * default algorithm is Argon2id; it works on the thread pool, so the event loop stays free.
 */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/**
 * Length in characters. NIST SP 800-63B asks for length and advises against composition rules; above 256 a password
 * only costs time. Twelve is this platform's choice between its minimum of 8 and the 15 it asks where a password is the
 * only factor.
 */
export const PASSWORD_LENGTH = { min: 12, max: 256 } as const;

@Injectable()
export class PasswordService {
  /** Compared against when there is no account, so that an unknown address takes as long as a known one. */
  private readonly decoy = hash(randomBytes(32), PARAMETERS);

  /** @returns PHC string */
  async hash(password: string): Promise<string> {
    return hash(password.normalize('NFC'), PARAMETERS);
  }

  /**
   * Whether the password is the one that was hashed. Takes the same time when there is no hash.
   * @param stored PHC string, or null when there is no account or no password yet
   */
  async matches(stored: string | null | undefined, password: string): Promise<boolean> {
    const right = await verify(stored ?? (await this.decoy), password.normalize('NFC'));
    return stored ? right : false;
  }
}
