import { PlatformError } from '@crm/contracts';
import { Database } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { CodeGuess, type GuessSurface } from './code-guess.entity.js';

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
