import type { OperatorRole } from '@crm/contracts';
import { Column, Entity } from 'typeorm';
import { IdentifiedRow } from '../tenant-row.js';

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
