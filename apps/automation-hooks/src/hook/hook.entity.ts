import { Column, Entity, PrimaryColumn } from 'typeorm';

/** How a hook call is recognised, before its tenant is known: a global table that the narrow role reaches. */
@Entity({ name: 'hook' })
export class Hook {
  @PrimaryColumn({ name: 'workflow_id', type: 'uuid' })
  workflowId: string;

  @Column({ name: 'tenant_id', type: 'uuid' })
  tenantId: string;

  /** SHA-256 of the secret. */
  @Column({ name: 'secret_hash', type: 'bytea' })
  secretHash: Buffer;
}
