import type { Certification } from '@crm/manifest';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity({ name: 'certification' })
export class CertificationRun {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' }) tenantId: string;
  @PrimaryColumn({ type: 'uuid' }) id: string;

  /** Null when the package has no key that could be one. */
  @Column({ name: 'app_key', type: 'text', nullable: true }) appKey: string | null;

  /** Null when the package has no version that could be one. */
  @Column({ type: 'text', nullable: true }) version: string | null;
  @Column({ type: 'text' }) mode: 'certification' | 'submission';
  @Column({ name: 'manifest_sha256', type: 'text', nullable: true }) manifestSha256: string | null;
  @Column({ type: 'boolean' }) passed: boolean;
  @Column({ type: 'json' }) result: Certification;
  @Column({ name: 'created_by', type: 'uuid' }) createdBy: string;
}
