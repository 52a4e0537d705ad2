import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A link to set a new password that was sent to a user. Used and replaced ones are deleted. */
@Entity({ name: 'password_reset' })
export class PasswordReset {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' })
  tenantId: string;

  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ name: 'user_id', type: 'uuid' })
  userId: string;

  /** SHA-256 of the token's secret part. */
  @Column({ name: 'secret_hash', type: 'bytea' })
  secretHash: Buffer;

  @Column({ name: 'expires_at', type: 'timestamptz' })
  expiresAt: Date;
}
