import { Column, Entity } from 'typeorm';
import { LinkRow } from '../tenant-row.js';

/** A change of a user's address: first one that waits for its confirmation, then one that can be undone. */
@Entity({ name: 'email_change' })
export class EmailChange extends LinkRow {
  @Column({ name: 'old_email', type: 'text' }) oldEmail: string;
  @Column({ name: 'new_email', type: 'text' }) newEmail: string;
  @Column({ name: 'undo_hash', type: 'bytea', nullable: true }) undoHash: Buffer | null;
  @Column({ name: 'confirmed_at', type: 'timestamptz', nullable: true }) confirmedAt: Date | null;
}
