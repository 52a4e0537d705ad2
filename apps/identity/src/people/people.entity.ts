import type { Language, Plan, StorageLimits } from '@crm/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { IdentifiedRow } from '../tenant-row.js';

/** Reserves nothing: any number of claims of an address stand beside each other, also beside the user it belongs to. */
@Entity({ name: 'email_claim' })
export class EmailClaim {
  @PrimaryColumn({ name: 'user_id', type: 'uuid' }) userId: string;
  @Column({ name: 'tenant_id', type: 'uuid' }) tenantId: string;
  @Column({ type: 'text' }) email: string;

  /** SHA-256 of what the latest mail carries; null without one. */
  @Column({ name: 'secret_hash', type: 'bytea', nullable: true }) secretHash: Buffer | null;
  @Column({ name: 'secret_expires_at', type: 'timestamptz', nullable: true }) secretExpiresAt: Date | null;

  /** When someone else verified the address. */
  @Column({ name: 'lost_at', type: 'timestamptz', nullable: true }) lostAt: Date | null;
  @Column({ name: 'created_at', type: 'timestamptz' }) createdAt: Date;
}

/** Whose an address is: the person who has proven it. */
@Entity({ name: 'sign_in_email' })
export class SignInEmail {
  @PrimaryColumn({ type: 'text' }) email: string;

  /** With the user: the membership that the person has used last. */
  @Column({ name: 'tenant_id', type: 'uuid' }) tenantId: string;
  @Column({ name: 'user_id', type: 'uuid' }) userId: string;
  @Column({ name: 'person_id', type: 'uuid' }) personId: string;
  @Column({ name: 'proven_at', type: 'timestamptz' }) provenAt: Date;

  /** A former address signs nobody in and is nobody else's until then; null for the present one. */
  @Column({ name: 'reserved_until', type: 'timestamptz', nullable: true }) reservedUntil: Date | null;
}

/** `invited` has not set a password yet; `disabled` can neither sign in nor be embedded. */
export const USER_STATUSES = ['active', 'invited', 'disabled'] as const;
export type UserStatus = (typeof USER_STATUSES)[number];

/** `embed` users came through a host, `identity_provider` users at their first sign-in; neither has a password. */
export type UserOrigin = 'registration' | 'administrator' | 'embed' | 'identity_provider';

/** How the addresses of users end who were removed from their workspace; no mail gets there (RFC 2606). */
export const REMOVED_DOMAIN = '@invalid';

export const isRemoved = ({ email }: Pick<User, 'email'>): boolean => email.endsWith(REMOVED_DOMAIN);

/** How the stored address of a host user ends who has none, because someone else in the workspace has the one that the host says. */
const NO_ADDRESS_DOMAIN = '@no-address.invalid';

export const withoutAddress = (userId: string): string => `${userId}${NO_ADDRESS_DOMAIN}`;

/** What is shown of an address. @returns null for a user who has none */
export const shownAddress = ({ email }: Pick<User, 'email'>): string | null =>
  email.endsWith(NO_ADDRESS_DOMAIN) ? null : email;

/** Returns whether mail can arrive there: no domain below `invalid` has any (RFC 2606). */
export const canReceive = (email: string): boolean => !/[@.]invalid$/.test(email);

@Entity({ name: 'app_user' })
export class User extends IdentifiedRow {
  @Column({ type: 'text' }) email: string;
  @Column({ type: 'text' }) name: string;
  @Column({ type: 'text', array: true }) roles: string[];
  @Column({ type: 'text' }) status: UserStatus;
  @Column({ type: 'text' }) origin: UserOrigin;

  /** Argon2id in PHC string format; null until a password is set. */
  @Column({ name: 'password_hash', type: 'text', nullable: true }) passwordHash: string | null;
  @Column({ name: 'mfa_enabled', type: 'boolean' }) mfaEnabled: boolean;

  /** True when an administrator chose the password: the first sign-in replaces it. */
  @Column({ name: 'initial_password', type: 'boolean' }) initialPassword: boolean;

  /** How often everything that leads to a session was ended: what was proven in an earlier epoch opens none. */
  @Column({ name: 'sign_in_epoch', type: 'integer' }) signInEpoch: number;
  @Column({ name: 'created_at', type: 'timestamptz' }) createdAt: Date;
}

/** A workspace; its id is the tenant every other row belongs to. */
@Entity({ name: 'tenant' })
export class Tenant {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' }) id: string;
  @Column({ type: 'text' }) name: string;
  @Column({ type: 'text' }) plan: Plan;
  @Column({ name: 'time_zone', type: 'text' }) timeZone: string;

  /** ISO 3166-1 alpha-2. */
  @Column({ type: 'text', nullable: true }) country: string | null;

  /** ISO 4217, of new amounts. */
  @Column({ type: 'text' }) currency: string;
  @Column({ type: 'text' }) language: Language;

  /** When the address that the workspace was registered with was verified; null until then. */
  @Column({ name: 'verified_at', type: 'timestamptz', nullable: true }) verifiedAt: Date | null;
  @Column({ name: 'closed_at', type: 'timestamptz', nullable: true }) closedAt: Date | null;

  /** What operators have set instead of what the plan says. */
  @Column({ type: 'jsonb', nullable: true }) limits: Partial<StorageLimits> | null;

  /** When the administrators were last told that the workspace is nearly full. */
  @Column({ name: 'storage_told_at', type: 'timestamptz', nullable: true }) storageToldAt: Date | null;
  @Column({ name: 'updated_at', type: 'timestamptz' }) updatedAt: Date;
}
