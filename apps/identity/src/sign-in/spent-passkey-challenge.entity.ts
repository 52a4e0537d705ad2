import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A challenge that was answered; kept in the platform's tenant until it would have expired. */
@Entity({ name: 'spent_passkey_challenge' })
export class SpentPasskeyChallenge {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' })
  tenantId: string;

  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ name: 'expires_at', type: 'timestamptz' })
  expiresAt: Date;
}
