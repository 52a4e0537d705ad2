import { PlatformError } from '@crm/contracts';
import { Injectable } from '@nestjs/common';
import { isBreached } from './breached-passwords.js';
import { estimateGuesses } from './guess-estimate.js';
import { consistsOf, ownWords, type PasswordOwner } from './own-words.js';

/**
 * Guesses that a password must take: what zxcvbn calls "safely unguessable: moderate protection from offline slow-hash
 * scenario", its score 3 of 4.
 */
const LEAST_GUESSES = 1e8;

/** Which passwords are accepted beyond their length. */
@Injectable()
export class PasswordPolicy {
  /**
   * Takes some milliseconds of the processor: callers check a limit first.
   * @param pointer to the password in the body
   * @throws PlatformError WEAK_PASSWORD for a password that is known from breaches, or easily guessed by itself or by somebody
   *   who knows its owner
   */
  async assertAcceptable(password: string, owner: PasswordOwner, pointer = '/password'): Promise<void> {
    if (await isBreached(password)) {
      throw weak(pointer, 'COMMON_PASSWORD', 'The password is known from a breach of another service');
    }
    const words = ownWords(owner);
    const { guesses, usesOwnWords } = await estimateGuesses(password.normalize('NFC'), words);
    if (consistsOf(password, words) || (guesses < LEAST_GUESSES && usesOwnWords)) {
      throw weak(pointer, 'OWN_DATA_PASSWORD', 'The password is made of your address, your name or the workspace');
    }
    if (guesses < LEAST_GUESSES) {
      throw weak(pointer, 'COMMON_PASSWORD', 'The password follows a pattern that attackers try first');
    }
  }
}

function weak(pointer: string, code: string, detail: string): PlatformError {
  return new PlatformError('WEAK_PASSWORD', detail, { errors: [{ pointer, code, detail }] });
}
