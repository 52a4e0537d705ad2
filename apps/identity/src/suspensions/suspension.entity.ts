import { Column, Entity } from 'typeorm';
import { TenantRow } from '../tenant-row.js';

@Entity({ name: 'tenant_suspension' })
export class TenantSuspension extends TenantRow {
  @Column({ type: 'text' }) name: string;

  /** Why it was lifted is in the trails. */
  @Column({ type: 'text' }) reason: string;
  @Column({ name: 'suspended_at', type: 'timestamptz' }) suspendedAt: Date;
  @Column({ name: 'reinstated_at', type: 'timestamptz', nullable: true }) reinstatedAt: Date | null;
}
