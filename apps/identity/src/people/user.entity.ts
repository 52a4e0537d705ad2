import { Column, Entity, PrimaryColumn } from 'typeorm';

/** `invited` has not set a password yet; `disabled` can neither sign in nor be embedded. */
export type UserStatus = 'active' | 'invited' | 'disabled';

/**
 * How a user came to be; `embed` users were provisioned by a host, `identity_provider` users at their first sign-in there.
 * Neither has a password.
 */
export type UserOrigin = 'registration' | 'administrator' | 'embed' | 'identity_provider';

@Entity({ name: 'app_user' })
export class User {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' })
  tenantId: string;

  @PrimaryColumn({ type: 'uuid' })
  id: string;

  /** Normalised (see email-address.ts). */
  @Column({ type: 'text' })
  email: string;

  @Column({ type: 'text' })
  name: string;

  @Column({ type: 'text', array: true })
  roles: string[];

  @Column({ type: 'text' })
  status: UserStatus;

  @Column({ type: 'text' })
  origin: UserOrigin;

  /** Argon2id in PHC string format; null until a password is set. */
  @Column({ name: 'password_hash', type: 'text', nullable: true })
  passwordHash: string | null;

  @Column({ name: 'mfa_enabled', type: 'boolean' })
  mfaEnabled: boolean;

  /** How often everything that leads to a session was ended: what was proven in an earlier epoch opens none. */
  @Column({ name: 'sign_in_epoch', type: 'integer' })
  signInEpoch: number;

  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
}
