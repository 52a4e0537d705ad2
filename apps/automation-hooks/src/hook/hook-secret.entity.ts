import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The secret of a hook, sealed, so that administrators can be shown its URL again. */
@Entity({ name: 'hook_secret' })
export class HookSecret {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' })
  tenantId: string;

  @PrimaryColumn({ name: 'workflow_id', type: 'uuid' })
  workflowId: string;

  @Column({ type: 'bytea' })
  sealed: Buffer;
}
