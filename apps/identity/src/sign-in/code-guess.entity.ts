import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * Where a code is given. A sign-in and a session are counted apart: whoever guesses at a sign-in does not slow down the user
 * who is signed in.
 */
export type GuessPlace = 'sign-in' | 'session';

/** Codes that a user has tried since the last right one. */
@Entity({ name: 'code_guess' })
export class CodeGuess {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' })
  tenantId: string;

  @PrimaryColumn({ name: 'user_id', type: 'uuid' })
  userId: string;

  @PrimaryColumn({ type: 'text' })
  place: GuessPlace;

  @Column({ type: 'integer' })
  tries: number;

  @Column({ name: 'last_at', type: 'timestamptz' })
  lastAt: Date;

  /** No code is compared before. */
  @Column({ name: 'next_at', type: 'timestamptz' })
  nextAt: Date;
}
