import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A sign-in whose password was right and whose code is awaited. */
@Entity({ name: 'mfa_challenge' })
export class MfaChallenge {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' })
  tenantId: string;

  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ name: 'user_id', type: 'uuid' })
  userId: string;

  /** HMAC-SHA-256 of the challenge's id and its code: a code is too short for a plain hash. */
  @Column({ name: 'code_mac', type: 'bytea' })
  codeMac: Buffer;

  /** Codes tried so far. */
  @Column({ type: 'integer' })
  attempts: number;

  @Column({ name: 'expires_at', type: 'timestamptz' })
  expiresAt: Date;
}
