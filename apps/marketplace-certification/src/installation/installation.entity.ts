import type { ProvisionedHook, ProvisionedObject, ProvisionedSubscription } from '@crm/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Failure, InstallationState } from './installation-state.js';

/** A hook without its address: the address holds a secret and stays with automation-hooks. */
export type HookRef = Omit<ProvisionedHook, 'url'>;

/** An app in a tenant. */
@Entity({ name: 'installation' })
export class Installation {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' })
  tenantId: string;

  /** A UUIDv7: the order of ids is the order of creation. */
  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ name: 'app_key', type: 'text' })
  appKey: string;

  @Column({ name: 'version_id', type: 'uuid' })
  versionId: string;

  @Column({ type: 'text' })
  version: string;

  @Column({ type: 'boolean' })
  sandbox: boolean;

  @Column({ type: 'text' })
  state: InstallationState;

  @Column({ name: 'granted_scopes', type: 'text', array: true })
  grantedScopes: string[];

  @Column({ type: 'jsonb' })
  objects: ProvisionedObject[];

  @Column({ type: 'jsonb' })
  hooks: HookRef[];

  @Column({ type: 'jsonb' })
  subscriptions: ProvisionedSubscription[];

  @Column({ type: 'jsonb', nullable: true })
  failure: Failure | null;

  @Column({ name: 'created_by', type: 'uuid' })
  createdBy: string;

  /** The user on whose behalf the package is provisioned; later the user who requested the removal. */
  @Column({ name: 'acting_user_id', type: 'uuid' })
  actingUserId: string;

  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;

  @Column({ name: 'updated_at', type: 'timestamptz' })
  updatedAt: Date;
}
