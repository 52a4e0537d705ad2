import type { OperatorRole } from '@crm/contracts';
import { Column, Entity } from 'typeorm';
import { IdentifiedRow, TenantRow } from '../tenant-row.js';

/** A link that was sent to a user. */
abstract class LinkRow extends IdentifiedRow {
  @Column({ name: 'user_id', type: 'uuid' }) userId: string;

  /** SHA-256 of the secret part of its token. */
  @Column({ name: 'secret_hash', type: 'bytea' }) secretHash: Buffer;
  @Column({ name: 'expires_at', type: 'timestamptz' }) expiresAt: Date;
}

/** A change of a user's address: first one that waits for its confirmation, then one that can be undone. */
@Entity({ name: 'email_change' })
export class EmailChange extends LinkRow {
  @Column({ name: 'old_email', type: 'text' }) oldEmail: string;
  @Column({ name: 'new_email', type: 'text' }) newEmail: string;
  @Column({ name: 'undo_hash', type: 'bytea', nullable: true }) undoHash: Buffer | null;
  @Column({ name: 'confirmed_at', type: 'timestamptz', nullable: true }) confirmedAt: Date | null;
}

@Entity({ name: 'invitation' })
export class Invitation extends LinkRow {
  @Column({ name: 'accepted_at', type: 'timestamptz', nullable: true }) acceptedAt: Date | null;
}

/** A link to set a new password that was sent to a user. Used and replaced ones are deleted. */
@Entity({ name: 'password_reset' })
export class PasswordReset extends LinkRow {}

@Entity({ name: 'tenant_suspension' })
export class TenantSuspension extends TenantRow {
  @Column({ type: 'text' }) name: string;

  /** Why it was lifted is in the trails. */
  @Column({ type: 'text' }) reason: string;
  @Column({ name: 'suspended_at', type: 'timestamptz' }) suspendedAt: Date;
  @Column({ name: 'reinstated_at', type: 'timestamptz', nullable: true }) reinstatedAt: Date | null;
}

@Entity({ name: 'operator' })
export class Operator extends IdentifiedRow {
  @Column({ type: 'text' }) email: string;
  @Column({ type: 'text' }) name: string;
  @Column({ name: 'password_hash', type: 'text' }) passwordHash: string;

  /** Until when the password, which the one who created the operator chose, can be replaced; null for one of their own. */
  @Column({ name: 'initial_password_until', type: 'timestamptz', nullable: true }) initialPasswordUntil: Date | null;
  @Column({ type: 'text' }) role: OperatorRole;
  @Column({ type: 'text' }) status: 'active' | 'disabled';

  /** How often everything that leads to a session was ended: what was proven in an earlier epoch opens none. */
  @Column({ name: 'sign_in_epoch', type: 'integer' }) signInEpoch: number;
  @Column({ name: 'linked_tenant_id', type: 'uuid', nullable: true }) linkedTenantId: string | null;
  @Column({ name: 'created_at', type: 'timestamptz' }) createdAt: Date;
}
