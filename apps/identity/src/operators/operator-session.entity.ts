import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity({ name: 'operator_session' })
export class OperatorSession {
  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ name: 'operator_id', type: 'uuid' })
  operatorId: string;

  /** SHA-256 of the refresh token that is valid. */
  @Column({ name: 'refresh_hash', type: 'bytea' })
  refreshHash: Buffer;

  /** SHA-256 of the one before; null before the first exchange. */
  @Column({ name: 'previous_hash', type: 'bytea', nullable: true })
  previousHash: Buffer | null;

  @Column({ name: 'expires_at', type: 'timestamptz' })
  expiresAt: Date;
}
