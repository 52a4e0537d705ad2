import type { Revocation } from '@crm/contracts';
import { bigintAsNumber } from '@crm/database';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A cut-off as the transaction of the change that causes it records it, until it is collected and published. */
@Entity({ name: 'pending_cutoff' })
export class PendingCutoff {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' })
  tenantId: string;

  @PrimaryColumn({ type: 'text' })
  kind: Revocation['kind'];

  @PrimaryColumn({ type: 'text' })
  id: string;

  @Column({ name: 'cutoff_ms', type: 'bigint', transformer: bigintAsNumber })
  cutoffMs: number;
}
