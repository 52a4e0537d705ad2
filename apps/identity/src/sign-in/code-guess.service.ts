import { PlatformError } from '@crm/contracts';
import { Database } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { CodeGuess, type GuessPlace } from './code-guess.entity.js';
import { TAKE_GUESS, WAIT_OF_GUESS } from './code-guess.sql.js';

/**
 * Five tries without a wait, then a minute that doubles with each wrong code up to an hour: about 35 codes on the first day and
 * 24 on each further one. Of a million codes, three of which are right at a time, a guesser who knows the password finds one
 * on the first day with a probability of 1 in 9,500.
 */
export const FREE_TRIES = 5;
export const FIRST_WAIT_SECONDS = 60;
export const LONGEST_WAIT_SECONDS = 3600;

/** Bounds the codes that are tried for a user, over all challenges and replicas. It slows down and never locks. */
@Injectable()
export class CodeGuessService {
  constructor(private readonly database: Database) {}

  /**
   * Takes a try before a code is compared.
   * @throws PlatformError RATE_LIMITED while the user has to wait
   */
  async take(tenantId: string, userId: string, place: GuessPlace): Promise<void> {
    // A transaction of its own: the try counts even though the answer is an error.
    const waitSeconds = await this.database.transaction(tenantId, async (tx) => {
      const parameters = [tenantId, userId, place];
      const taken = await tx.query(TAKE_GUESS, [...parameters, FREE_TRIES, FIRST_WAIT_SECONDS, LONGEST_WAIT_SECONDS]);
      if (taken.length === 1) return 0;
      const [wait] = await tx.query<{ seconds: number }>(WAIT_OF_GUESS, parameters);
      return Math.max(1, wait?.seconds ?? 1);
    });
    if (waitSeconds > 0) {
      throw new PlatformError('RATE_LIMITED', 'Too many wrong codes', { retryAfterSeconds: waitSeconds });
    }
  }

  /** The code was right: the count begins again. */
  async clear(tenantId: string, userId: string, place: GuessPlace): Promise<void> {
    await this.database.transaction(tenantId, (tx) => tx.repository(CodeGuess).delete({ tenantId, userId, place }));
  }
}
