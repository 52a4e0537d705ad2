import type { AppNotice, ProvisionedHook, ProvisionedObject, ProvisionedSubscription } from '@crm/contracts';
import { bigintAsNumber } from '@crm/database';
import { Column, Entity, PrimaryColumn } from 'typeorm';

export const INSTALLATION_STATES = [
  'installing',
  'active',
  'compensating',
  'failed',
  'uninstalling',
  'uninstalled',
] as const;
/** `compensating` undoes an installation that failed, `uninstalling` one that is no longer wanted. */
export type InstallationState = (typeof INSTALLATION_STATES)[number];

export const LIVE_STATES: readonly InstallationState[] = ['installing', 'active', 'compensating', 'uninstalling'];

/**
 * The parts of a package, in the order in which they are provisioned: workflows name the objects of the tenant, and users can
 * authorize an app when everything else is in place.
 */
export const STEP_NAMES = ['objects', 'workflows', 'subscriptions', 'authorization'] as const;
export type StepName = (typeof STEP_NAMES)[number];

export const STEP_STATES = ['pending', 'running', 'done', 'failed', 'undone'] as const;
export type StepState = (typeof STEP_STATES)[number];

/** An error as it is stored and shown: a catalogued code and a detail for people. */
export interface StoredError {
  readonly code: string;
  readonly detail: string;
}

export interface Failure extends StoredError {
  readonly step: StepName;
}

/** A hook without its address: the address holds a secret and stays with automation-hooks. */
export type HookRef = Omit<ProvisionedHook, 'url'>;

@Entity({ name: 'installation' })
export class Installation {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' }) tenantId: string;

  /** A UUIDv7: the order of ids is the order of creation. */
  @PrimaryColumn({ type: 'uuid' }) id: string;
  @Column({ name: 'app_key', type: 'text' }) appKey: string;
  @Column({ name: 'version_id', type: 'uuid' }) versionId: string;
  @Column({ type: 'text' }) version: string;
  @Column({ type: 'boolean' }) sandbox: boolean;
  @Column({ type: 'text' }) state: InstallationState;
  @Column({ name: 'granted_scopes', type: 'text', array: true }) grantedScopes: string[];
  @Column({ type: 'jsonb' }) objects: ProvisionedObject[];
  @Column({ type: 'jsonb' }) hooks: HookRef[];
  @Column({ type: 'jsonb' }) subscriptions: ProvisionedSubscription[];
  @Column({ type: 'jsonb', nullable: true }) failure: Failure | null;
  @Column({ name: 'created_by', type: 'uuid' }) createdBy: string;

  /** What its package said to the administrator who consented. */
  @Column({ type: 'jsonb' }) notices: AppNotice[];

  /** The user on whose behalf the package is provisioned; later the user who requested the removal, null for the platform. */
  @Column({ name: 'acting_user_id', type: 'uuid', nullable: true }) actingUserId: string | null;
  @Column({ name: 'created_at', type: 'timestamptz' }) createdAt: Date;
  @Column({ name: 'updated_at', type: 'timestamptz' }) updatedAt: Date;
}

/** One part of a package on its way into a tenant or out of it. */
@Entity({ name: 'installation_step' })
export class InstallationStep {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' }) tenantId: string;
  @PrimaryColumn({ name: 'installation_id', type: 'uuid' }) installationId: string;

  /** From 1, in the order of provisioning. */
  @PrimaryColumn({ type: 'smallint' }) position: number;
  @Column({ type: 'text' }) name: StepName;
  @Column({ type: 'text' }) state: StepState;

  /** The neighbour did not answer in time, so it may still carry out the request after the installation was undone. */
  @Column({ type: 'boolean' }) unsettled: boolean;
  @Column({ type: 'jsonb', nullable: true }) error: StoredError | null;
  @Column({ name: 'updated_at', type: 'timestamptz' }) updatedAt: Date;
}

/** Who requested what of an installation, and who was shown the addresses of its hooks. */
@Entity({ name: 'install_audit' })
export class InstallAudit {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' }) tenantId: string;
  @PrimaryColumn({ type: 'uuid' }) id: string;
  @Column({ name: 'installation_id', type: 'uuid' }) installationId: string;
  @Column({ name: 'user_id', type: 'uuid' }) userId: string;
  @Column({ type: 'text' }) action: 'install_requested' | 'uninstall_requested' | 'hook_urls_shown';
}

@Entity({ name: 'install_count' })
export class InstallCount {
  @PrimaryColumn({ name: 'app_key', type: 'text' }) appKey: string;
  @Column({ type: 'bigint', transformer: bigintAsNumber }) installs: number;
}
