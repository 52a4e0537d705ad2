import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The last suspension of a workspace, lifted or not. */
@Entity({ name: 'tenant_suspension' })
export class TenantSuspension {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' })
  tenantId: string;

  /** Of the workspace, as it was then: nobody can change it while the workspace is suspended. */
  @Column({ type: 'text' })
  name: string;

  /** Of the suspension; why it was lifted is in the trails. */
  @Column({ type: 'text' })
  reason: string;

  @Column({ name: 'suspended_at', type: 'timestamptz' })
  suspendedAt: Date;

  /** Null while the workspace is suspended. */
  @Column({ name: 'reinstated_at', type: 'timestamptz', nullable: true })
  reinstatedAt: Date | null;
}
