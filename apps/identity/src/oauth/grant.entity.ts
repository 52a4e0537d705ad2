import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An app acts for a user. Ended grants are deleted. */
@Entity({ name: 'oauth_grant' })
export class Grant {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' })
  tenantId: string;

  /** The `sid` of its access tokens. */
  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ name: 'installation_id', type: 'uuid' })
  installationId: string;

  @Column({ name: 'app_key', type: 'text' })
  appKey: string;

  @Column({ name: 'app_name', type: 'text' })
  appName: string;

  @Column({ type: 'text' })
  publisher: string;

  @Column({ name: 'user_id', type: 'uuid' })
  userId: string;

  @Column({ type: 'text', array: true })
  scopes: string[];

  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;

  @Column({ name: 'last_used_at', type: 'timestamptz' })
  lastUsedAt: Date;

  /** When it ends unless it is refreshed before; never after {@link endsAt}. */
  @Column({ name: 'expires_at', type: 'timestamptz' })
  expiresAt: Date;

  /** When it ends however often it is refreshed. */
  @Column({ name: 'ends_at', type: 'timestamptz' })
  endsAt: Date;
}
