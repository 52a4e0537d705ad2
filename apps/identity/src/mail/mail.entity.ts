import { Column, Entity } from 'typeorm';
import { IdentifiedRow } from '../tenant-row.js';

/** A mail that waits to be sent. Once it is sent or abandoned it is deleted: its body carries a one-time secret. */
@Entity({ name: 'mail' })
export class Mail extends IdentifiedRow {
  @Column({ type: 'text' }) recipient: string;
  @Column({ type: 'text' }) subject: string;
  @Column({ type: 'text', nullable: true }) body: string | null;

  /** The text as MailSeal seals it; null for mail that was queued before texts were sealed. */
  @Column({ name: 'sealed_body', type: 'bytea', nullable: true }) sealedBody: Buffer | null;
  @Column({ type: 'integer' }) attempts: number;
  @Column({ name: 'next_attempt_at', type: 'timestamptz' }) nextAttemptAt: Date;
  @Column({ name: 'last_error', type: 'text', nullable: true }) lastError: string | null;

  /** Until when it is worth sending. */
  @Column({ name: 'expires_at', type: 'timestamptz' }) expiresAt: Date;
}
