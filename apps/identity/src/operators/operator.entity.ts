import type { OperatorRole } from '@crm/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

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
