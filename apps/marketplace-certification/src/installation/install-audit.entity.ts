import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Who requested what of an installation, and who was shown the addresses of its hooks. */
@Entity({ name: 'install_audit' })
export class InstallAudit {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' })
  tenantId: string;

  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ name: 'installation_id', type: 'uuid' })
  installationId: string;

  @Column({ name: 'user_id', type: 'uuid' })
  userId: string;

  @Column({ type: 'text' })
  action: 'install_requested' | 'uninstall_requested' | 'hook_urls_shown';
}
