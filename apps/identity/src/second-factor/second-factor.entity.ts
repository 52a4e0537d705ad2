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
