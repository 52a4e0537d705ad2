import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A refresh token. Exchanged ones stay until they expire, so that a copy is recognised. */
@Entity({ name: 'refresh_token' })
export class RefreshToken {
  /** SHA-256 of the token. */
  @PrimaryColumn({ name: 'token_hash', type: 'bytea' })
  tokenHash: Buffer;

  @Column({ name: 'session_id', type: 'uuid' })
  sessionId: string;

  /** The tenant of the platform for a session of an operator. */
  @Column({ name: 'tenant_id', type: 'uuid' })
  tenantId: string;

  @Column({ name: 'user_id', type: 'uuid' })
  userId: string;

  @Column({ name: 'expires_at', type: 'timestamptz' })
  expiresAt: Date;

  /** When it was exchanged; null while it is valid. */
  @Column({ name: 'rotated_at', type: 'timestamptz', nullable: true })
  rotatedAt: Date | null;

  /** What it was exchanged for, sealed with a key that only this token gives; null once the successor was used. */
  @Column({ name: 'sealed_successor', type: 'bytea', nullable: true })
  sealedSuccessor: Buffer | null;
}
