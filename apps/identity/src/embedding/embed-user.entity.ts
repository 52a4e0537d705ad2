import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Which user of the tenant a host's user is. */
@Entity({ name: 'embed_user' })
export class EmbedUser {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' })
  tenantId: string;

  @PrimaryColumn({ name: 'app_key', type: 'text' })
  appKey: string;

  /** How the host names its user. */
  @PrimaryColumn({ type: 'text' })
  sub: string;

  @Column({ name: 'user_id', type: 'uuid' })
  userId: string;

  /** SHA-256 of what the mail about the link carries; null when no mail was sent, or the link was undone. */
  @Column({ name: 'undo_hash', type: 'bytea', nullable: true })
  undoHash: Buffer | null;

  @Column({ name: 'undo_expires_at', type: 'timestamptz', nullable: true })
  undoExpiresAt: Date | null;

  /** Null for a link from before this was recorded. */
  @Column({ name: 'linked_at', type: 'timestamptz', nullable: true })
  linkedAt: Date | null;

  /** When the user undid the link. */
  @Column({ name: 'undone_at', type: 'timestamptz', nullable: true })
  undoneAt: Date | null;
}
