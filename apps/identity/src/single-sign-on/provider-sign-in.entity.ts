import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A sign-in at a provider that is under way: first the browser is at the provider, then a page has a code to exchange. */
@Entity({ name: 'provider_sign_in' })
export class ProviderSignIn {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' })
  tenantId: string;

  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ name: 'provider_id', type: 'uuid' })
  providerId: string;

  /** SHA-256 of the secret in `state`. */
  @Column({ name: 'state_hash', type: 'bytea' })
  stateHash: Buffer;

  /** SHA-256 of the cookie of the browser that began it. */
  @Column({ name: 'browser_hash', type: 'bytea' })
  browserHash: Buffer;

  @Column({ type: 'text' })
  nonce: string;

  /** Of PKCE. */
  @Column({ name: 'sealed_verifier', type: 'bytea' })
  sealedVerifier: Buffer;

  /** When the provider sent the browser back; that counts once. */
  @Column({ name: 'returned_at', type: 'timestamptz', nullable: true })
  returnedAt: Date | null;

  /** SHA-256 of the secret in the code that the page exchanges; null until the user is known. */
  @Column({ name: 'code_hash', type: 'bytea', nullable: true })
  codeHash: Buffer | null;

  @Column({ name: 'user_id', type: 'uuid', nullable: true })
  userId: string | null;

  /** Whether what the provider has asked for counts as a second factor. */
  @Column({ name: 'has_second_factor', type: 'boolean' })
  hasSecondFactor: boolean;

  /** Whether the person has to be authenticated again at the provider. */
  @Column({ type: 'boolean' })
  fresh: boolean;

  /** The session in which it is a proof; null for a sign-in that opens one. */
  @Column({ name: 'session_id', type: 'uuid', nullable: true })
  sessionId: string | null;

  /** Of the user when the provider's answer was looked at. */
  @Column({ name: 'sign_in_epoch', type: 'integer' })
  signInEpoch: number;

  /** When the provider has authenticated them; null until it says so, and when it does not. */
  @Column({ name: 'authenticated_at', type: 'timestamptz', nullable: true })
  authenticatedAt: Date | null;

  @Column({ name: 'expires_at', type: 'timestamptz' })
  expiresAt: Date;
}
