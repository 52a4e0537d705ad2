import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { StepName, StepState, StoredError } from './installation-state.js';

/** One part of a package on its way into a tenant or out of it. */
@Entity({ name: 'installation_step' })
export class InstallationStep {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' })
  tenantId: string;

  @PrimaryColumn({ name: 'installation_id', type: 'uuid' })
  installationId: string;

  /** From 1, in the order of provisioning. */
  @PrimaryColumn({ type: 'smallint' })
  position: number;

  @Column({ type: 'text' })
  name: StepName;

  @Column({ type: 'text' })
  state: StepState;

  /** The neighbour did not answer in time, so it may still carry out the request after the installation was undone. */
  @Column({ type: 'boolean' })
  unsettled: boolean;

  @Column({ type: 'jsonb', nullable: true })
  error: StoredError | null;

  @Column({ name: 'updated_at', type: 'timestamptz' })
  updatedAt: Date;
}
