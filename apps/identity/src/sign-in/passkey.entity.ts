import { bigintAsNumber } from '@crm/database';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A passkey of a user or an operator: the public half of a key pair that an authenticator keeps. */
@Entity({ name: 'passkey' })
export class Passkey {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' })
  tenantId: string;

  @PrimaryColumn({ type: 'uuid' })
  id: string;

  /** The user, or the operator in the platform's tenant. */
  @Column({ name: 'user_id', type: 'uuid' })
  userId: string;

  /** What the authenticator calls it. */
  @Column({ name: 'credential_id', type: 'bytea' })
  credentialId: Buffer;

  /** A COSE key (RFC 9052). */
  @Column({ name: 'public_key', type: 'bytea' })
  publicKey: Buffer;

  /** Of its signatures, as the authenticator counts them; 0 for one that does not count. */
  @Column({ type: 'bigint', transformer: bigintAsNumber })
  counter: number;

  /** Whether the key is synchronised between devices, by what the authenticator said last. */
  @Column({ name: 'backed_up', type: 'boolean' })
  backedUp: boolean;

  /** How a browser reaches the authenticator, as it said itself: a hint. */
  @Column({ type: 'text', array: true })
  transports: string[];

  @Column({ type: 'text' })
  name: string;

  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;

  @Column({ name: 'last_used_at', type: 'timestamptz', nullable: true })
  lastUsedAt: Date | null;
}
