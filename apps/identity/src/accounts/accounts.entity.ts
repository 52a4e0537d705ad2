import type { OperatorRole } from '@crm/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A change of a user's address: first one that waits for its confirmation, then one that can be undone. */
@Entity({ name: 'email_change' })
export class EmailChange {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' })
  tenantId: string;

  /** In the order in which the changes were asked for. */
  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ name: 'user_id', type: 'uuid' })
  userId: string;

  @Column({ name: 'old_email', type: 'text' })
  oldEmail: string;

  @Column({ name: 'new_email', type: 'text' })
  newEmail: string;

  /** SHA-256 of the secret part of the token that was sent to the new address. */
  @Column({ name: 'secret_hash', type: 'bytea' })
  secretHash: Buffer;

  /** The same of the token that was sent to the old one. */
  @Column({ name: 'undo_hash', type: 'bytea', nullable: true })
  undoHash: Buffer | null;

  /** Until when it can be confirmed, or undone once it is. */
  @Column({ name: 'expires_at', type: 'timestamptz' })
  expiresAt: Date;

  @Column({ name: 'confirmed_at', type: 'timestamptz', nullable: true })
  confirmedAt: Date | null;
}

@Entity({ name: 'invitation' })
export class Invitation {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' })
  tenantId: string;

  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ name: 'user_id', type: 'uuid' })
  userId: string;

  /** SHA-256 of the token's secret part. */
  @Column({ name: 'secret_hash', type: 'bytea' })
  secretHash: Buffer;

  @Column({ name: 'expires_at', type: 'timestamptz' })
  expiresAt: Date;

  @Column({ name: 'accepted_at', type: 'timestamptz', nullable: true })
  acceptedAt: Date | null;
}

/** A link to set a new password that was sent to a user. Used and replaced ones are deleted. */
@Entity({ name: 'password_reset' })
export class PasswordReset {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' })
  tenantId: string;

  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ name: 'user_id', type: 'uuid' })
  userId: string;

  /** SHA-256 of the token's secret part. */
  @Column({ name: 'secret_hash', type: 'bytea' })
  secretHash: Buffer;

  @Column({ name: 'expires_at', type: 'timestamptz' })
  expiresAt: Date;
}

/** The last suspension of a workspace, lifted or not. */
@Entity({ name: 'tenant_suspension' })
export class TenantSuspension {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' })
  tenantId: string;

  /** Of the workspace, as it was then: nobody can change it while the workspace is suspended. */
  @Column({ type: 'text' })
  name: string;

  /** Of the suspension; why it was lifted is in the trails. */
  @Column({ type: 'text' })
  reason: string;

  @Column({ name: 'suspended_at', type: 'timestamptz' })
  suspendedAt: Date;

  /** Null while the workspace is suspended. */
  @Column({ name: 'reinstated_at', type: 'timestamptz', nullable: true })
  reinstatedAt: Date | null;
}

/** Somebody who runs the platform: a row of the platform's own tenant. */
@Entity({ name: 'operator' })
export class Operator {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' })
  tenantId: string;

  @PrimaryColumn({ type: 'uuid' })
  id: string;

  /** Normalised (see email-address.ts). */
  @Column({ type: 'text' })
  email: string;

  @Column({ type: 'text' })
  name: string;

  /** Argon2id in PHC string format. */
  @Column({ name: 'password_hash', type: 'text' })
  passwordHash: string;

  @Column({ type: 'text' })
  role: OperatorRole;

  @Column({ type: 'text' })
  status: 'active' | 'disabled';

  /** How often everything that leads to a session was ended: what was proven in an earlier epoch opens none. */
  @Column({ name: 'sign_in_epoch', type: 'integer' })
  signInEpoch: number;

  /** The workspace whose submissions the operator never decides on. */
  @Column({ name: 'linked_tenant_id', type: 'uuid', nullable: true })
  linkedTenantId: string | null;

  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
}
