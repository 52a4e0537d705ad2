import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * What a sign-in waits for: the code from a mail, a code of the authenticator, that an authenticator is set up, or a passkey, which
 * takes the place of the challenge.
 */
export type ChallengeMethod = 'mail' | 'authenticator' | 'enrolment' | 'passkey';

/**
 * What the second factor is asked for: a sign-in by password, one at the provider of the workspace, or a change of the account
 * by whoever is signed in. An answer counts for its purpose only: a change of the account opens no session.
 */
export type ChallengePurpose = SignInPurpose | 'reauthentication';

/** Those that open a session. */
export type SignInPurpose = 'sign-in' | 'single-sign-on';

/** A person whose password, or whose identity provider, was right and whose second factor is awaited. */
@Entity({ name: 'mfa_challenge' })
export class MfaChallenge {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' })
  tenantId: string;

  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ name: 'user_id', type: 'uuid' })
  userId: string;

  @Column({ type: 'text' })
  method: ChallengeMethod;

  @Column({ type: 'text' })
  purpose: ChallengePurpose;

  /** Of a mail: HMAC-SHA-256 of the challenge's id and its code, because a code is too short for a plain hash. */
  @Column({ name: 'code_mac', type: 'bytea', nullable: true })
  codeMac: Buffer | null;

  /** Of an enrolment: SHA-256 of the secret of its token. */
  @Column({ name: 'secret_hash', type: 'bytea', nullable: true })
  secretHash: Buffer | null;

  /** Codes tried so far. */
  @Column({ type: 'integer' })
  attempts: number;

  @Column({ name: 'expires_at', type: 'timestamptz' })
  expiresAt: Date;

  /** Of the user when the first factor was looked at. */
  @Column({ name: 'sign_in_epoch', type: 'integer' })
  signInEpoch: number;

  /** When the provider of the workspace has authenticated the user; null when it does not say, and after a password. */
  @Column({ name: 'authenticated_at', type: 'timestamptz', nullable: true })
  authenticatedAt: Date | null;
}
