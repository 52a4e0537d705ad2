import { bigintAsNumber } from '@crm/database';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { IdentifiedRow, TenantRow } from '../tenant-row.js';

@Entity({ name: 'authenticator' })
export class Authenticator extends TenantRow {
  @PrimaryColumn({ name: 'user_id', type: 'uuid' }) userId: string;
  @Column({ name: 'sealed_secret', type: 'bytea' }) sealedSecret: Buffer;

  /** When a code confirmed it; null for an enrolment that is not finished and counts for nothing. */
  @Column({ name: 'confirmed_at', type: 'timestamptz', nullable: true }) confirmedAt: Date | null;

  /** The time step of the code that was used last: it and those before are not accepted again. */
  @Column({ name: 'last_step', type: 'bigint', nullable: true, transformer: bigintAsNumber }) lastStep: number | null;

  /** True when the person set it up, proving the factor that they had elsewhere: otherwise it counts in its workspace alone. */
  @Column({ name: 'person_proven', type: 'boolean' }) personProven: boolean;
}

/** Counted apart: anyone who guesses at a sign-in does not slow down the user who is signed in. */
export type GuessSurface = 'sign-in' | 'session';

@Entity({ name: 'code_guess' })
export class CodeGuess extends TenantRow {
  @PrimaryColumn({ name: 'user_id', type: 'uuid' }) userId: string;
  @PrimaryColumn({ type: 'text' }) place: GuessSurface;
  @Column({ type: 'integer' }) tries: number;
  @Column({ name: 'last_at', type: 'timestamptz' }) lastAt: Date;
  @Column({ name: 'next_at', type: 'timestamptz' }) nextAt: Date;
}

/** A code that replaces one of the authenticator, once. Used ones are deleted. */
@Entity({ name: 'recovery_code' })
export class RecoveryCode extends TenantRow {
  @PrimaryColumn({ name: 'user_id', type: 'uuid' }) userId: string;
  @PrimaryColumn({ name: 'code_hash', type: 'bytea' }) codeHash: Buffer;
}

/** `passkey` takes the place of the challenge. */
export type ChallengeMethod = 'mail' | 'authenticator' | 'enrolment' | 'passkey';

/** An answer counts for its purpose only: a change of the account opens no session. */
export type ChallengePurpose = SignInPurpose | 'reauthentication';

/** `switch`: to another workspace of the person. */
export type SignInPurpose = 'sign-in' | 'single-sign-on' | 'switch';

@Entity({ name: 'mfa_challenge' })
export class MfaChallenge extends IdentifiedRow {
  @Column({ name: 'user_id', type: 'uuid' }) userId: string;
  @Column({ type: 'text' }) method: ChallengeMethod;
  @Column({ type: 'text' }) purpose: ChallengePurpose;

  /** HMAC-SHA-256 of the challenge's id and the mailed code, which is too short for a plain hash. */
  @Column({ name: 'code_mac', type: 'bytea', nullable: true }) codeMac: Buffer | null;

  /** SHA-256 of the secret of the token of an enrolment. */
  @Column({ name: 'secret_hash', type: 'bytea', nullable: true }) secretHash: Buffer | null;
  @Column({ type: 'integer' }) attempts: number;
  @Column({ name: 'expires_at', type: 'timestamptz' }) expiresAt: Date;
  @Column({ name: 'sign_in_epoch', type: 'integer' }) signInEpoch: number;

  /** When a provider, or the session of a switch, has authenticated the user; null when nobody says, and after a password. */
  @Column({ name: 'authenticated_at', type: 'timestamptz', nullable: true }) authenticatedAt: Date | null;
}

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

/** `required`: a user without a second factor sets one up at their next sign-in. */
export const SECOND_FACTOR_POLICIES = ['optional', 'required'] as const;
export type SecondFactorPolicy = (typeof SECOND_FACTOR_POLICIES)[number];

export const LOCAL_PASSWORD_POLICIES = ['allowed', 'refused'] as const;
export type LocalPasswordPolicy = (typeof LOCAL_PASSWORD_POLICIES)[number];

/** What a workspace demands of the sign-ins of its users; without a row nothing beyond the password. */
@Entity({ name: 'sign_in_policy' })
export class SignInPolicy extends TenantRow {
  @Column({ name: 'second_factor', type: 'text' }) secondFactor: SecondFactorPolicy;

  /** `required`: passwords of nobody but owners and guests are accepted. */
  @Column({ name: 'single_sign_on', type: 'text' }) singleSignOn: 'optional' | 'required';

  /** True when administrators may choose passwords; null until an owner has decided. */
  @Column({ name: 'local_passwords', type: 'text', nullable: true }) localPasswords: LocalPasswordPolicy | null;
}
