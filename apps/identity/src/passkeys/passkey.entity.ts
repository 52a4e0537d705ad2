import { bigintAsNumber } from '@crm/database';
import { Column, Entity } from 'typeorm';
import { IdentifiedRow } from '../tenant-row.js';

@Entity({ name: 'passkey' })
export class Passkey extends IdentifiedRow {
  @Column({ name: 'user_id', type: 'uuid' }) userId: string;
  @Column({ name: 'credential_id', type: 'bytea' }) credentialId: Buffer;

  /** A COSE key (RFC 9052). */
  @Column({ name: 'public_key', type: 'bytea' }) publicKey: Buffer;

  /** Signatures that the authenticator has counted; 0 for one that does not count. */
  @Column({ type: 'bigint', transformer: bigintAsNumber }) counter: number;

  /** True when the key is synchronised between devices, by what the authenticator said last. */
  @Column({ name: 'backed_up', type: 'boolean' }) backedUp: boolean;

  /** How a browser reaches the authenticator, as it said itself: a hint. */
  @Column({ type: 'text', array: true }) transports: string[];
  @Column({ type: 'text' }) name: string;

  /** True when it was set up in a session that the person opened, not a provider. */
  @Column({ name: 'person_proven', type: 'boolean' }) personProven: boolean;
  @Column({ name: 'created_at', type: 'timestamptz' }) createdAt: Date;
  @Column({ name: 'last_used_at', type: 'timestamptz', nullable: true }) lastUsedAt: Date | null;
}

/** A challenge that was answered; kept in the platform's tenant until it would have expired. */
@Entity({ name: 'spent_passkey_challenge' })
export class SpentPasskeyChallenge extends IdentifiedRow {
  @Column({ name: 'expires_at', type: 'timestamptz' }) expiresAt: Date;
}
