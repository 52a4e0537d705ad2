import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A change of a user's address: first one that waits for its confirmation, then one that can be undone. */
@Entity({ name: 'email_change' })
export class EmailChange {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' })
  tenantId: string;

  /** In the order in which the changes were asked for. */
  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ name: 'user_id', type: 'uuid' })
  userId: string;

  @Column({ name: 'old_email', type: 'text' })
  oldEmail: string;

  @Column({ name: 'new_email', type: 'text' })
  newEmail: string;

  /** SHA-256 of the secret part of the token that was sent to the new address. */
  @Column({ name: 'secret_hash', type: 'bytea' })
  secretHash: Buffer;

  /** The same of the token that was sent to the old one. */
  @Column({ name: 'undo_hash', type: 'bytea', nullable: true })
  undoHash: Buffer | null;

  /** Until when it can be confirmed, or undone once it is. */
  @Column({ name: 'expires_at', type: 'timestamptz' })
  expiresAt: Date;

  @Column({ name: 'confirmed_at', type: 'timestamptz', nullable: true })
  confirmedAt: Date | null;
}
