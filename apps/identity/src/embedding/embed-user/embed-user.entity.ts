import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Which user of the tenant a host's user is. */
@Entity({ name: 'embed_user' })
export class EmbedUser {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' })
  tenantId: string;

  @PrimaryColumn({ name: 'app_key', type: 'text' })
  appKey: string;

  /** How the host names its user. */
  @PrimaryColumn({ type: 'text' })
  sub: string;

  @Column({ name: 'user_id', type: 'uuid' })
  userId: string;
}
