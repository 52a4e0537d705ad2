import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Which user of a workspace somebody is whom a provider has authenticated. */
@Entity({ name: 'provider_link' })
export class ProviderLink {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' })
  tenantId: string;

  @PrimaryColumn({ type: 'text' })
  issuer: string;

  /** The provider's own id of the person. */
  @PrimaryColumn({ type: 'text' })
  sub: string;

  @Column({ name: 'user_id', type: 'uuid' })
  userId: string;

  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
}
