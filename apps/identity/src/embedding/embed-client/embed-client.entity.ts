import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Credentials of an embed app. The tenant is the app's own, whose users it embeds. */
@Entity({ name: 'embed_client' })
export class EmbedClient {
  @PrimaryColumn({ name: 'client_id', type: 'text' })
  clientId: string;

  @Column({ name: 'app_key', type: 'text' })
  appKey: string;

  @Column({ name: 'tenant_id', type: 'uuid' })
  tenantId: string;

  /** SHA-256 of the secret. */
  @Column({ name: 'secret_hash', type: 'bytea' })
  secretHash: Buffer;

  @Column({ name: 'allowed_origins', type: 'text', array: true })
  allowedOrigins: string[];

  @Column({ type: 'text', array: true })
  scopes: string[];

  @Column({ name: 'link_users_by', type: 'text' })
  linkUsersBy: 'email' | 'explicit';

  @Column({ name: 'updated_at', type: 'timestamptz' })
  updatedAt: Date;
}
