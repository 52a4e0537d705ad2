import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * An address that somebody has registered a workspace with and has not verified. It reserves nothing: any number of claims
 * of an address stand beside each other, also beside the user it belongs to (sign-in-email.entity.ts).
 */
@Entity({ name: 'email_claim' })
export class EmailClaim {
  /** Who registered. */
  @PrimaryColumn({ name: 'user_id', type: 'uuid' })
  userId: string;

  @Column({ name: 'tenant_id', type: 'uuid' })
  tenantId: string;

  /** Normalised (see email-address.ts). */
  @Column({ type: 'text' })
  email: string;

  /** SHA-256 of what the latest mail carries. */
  @Column({ name: 'secret_hash', type: 'bytea', nullable: true })
  secretHash: Buffer | null;

  @Column({ name: 'secret_expires_at', type: 'timestamptz', nullable: true })
  secretExpiresAt: Date | null;

  /** When somebody else verified the address. */
  @Column({ name: 'lost_at', type: 'timestamptz', nullable: true })
  lostAt: Date | null;

  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
}
