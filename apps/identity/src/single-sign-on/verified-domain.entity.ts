import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Which workspace has proven a domain: one on the whole platform. */
@Entity({ name: 'verified_domain' })
export class VerifiedDomain {
  @PrimaryColumn({ type: 'text' })
  domain: string;

  @Column({ name: 'tenant_id', type: 'uuid' })
  tenantId: string;

  /** When the record is looked up again. */
  @Column({ name: 'next_check_at', type: 'timestamptz' })
  nextCheckAt: Date;
}
