import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TenantRow } from '../tenant-row.js';

/** Counted apart: anyone who guesses at a sign-in does not slow down the user who is signed in. */
export type GuessSurface = 'sign-in' | 'session';

@Entity({ name: 'code_guess' })
export class CodeGuess extends TenantRow {
  @PrimaryColumn({ name: 'user_id', type: 'uuid' }) userId: string;
  @PrimaryColumn({ type: 'text' }) place: GuessSurface;
  @Column({ type: 'integer' }) tries: number;
  @Column({ name: 'last_at', type: 'timestamptz' }) lastAt: Date;
  @Column({ name: 'next_at', type: 'timestamptz' }) nextAt: Date;
}
