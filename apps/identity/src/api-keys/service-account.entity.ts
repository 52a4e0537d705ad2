import type { Scope } from '@crm/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Keys of a disabled account are refused until it is active again. */
export type ServiceAccountStatus = 'active' | 'disabled';

/** A program of a tenant, with a name, roles and scopes. It calls with API keys and cannot sign in. */
@Entity({ name: 'service_account' })
export class ServiceAccount {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' })
  tenantId: string;

  /** The `sub` of its tokens. */
  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ type: 'text' })
  name: string;

  @Column({ type: 'text', array: true })
  roles: string[];

  @Column({ type: 'text', array: true })
  scopes: Scope[];

  @Column({ type: 'text' })
  status: ServiceAccountStatus;

  /** The user who made it. */
  @Column({ name: 'created_by', type: 'uuid' })
  createdBy: string;

  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
}
