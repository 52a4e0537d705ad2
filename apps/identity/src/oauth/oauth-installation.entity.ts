import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An installation as an OAuth client. An ended one stays for a while, so that a late registration does not revive it. */
@Entity({ name: 'oauth_installation' })
export class OAuthInstallation {
  @PrimaryColumn({ name: 'installation_id', type: 'uuid' })
  installationId: string;

  @Column({ name: 'tenant_id', type: 'uuid' })
  tenantId: string;

  @Column({ name: 'client_id', type: 'text' })
  clientId: string;

  @Column({ name: 'app_key', type: 'text' })
  appKey: string;

  @Column({ name: 'app_name', type: 'text' })
  appName: string;

  @Column({ type: 'text' })
  publisher: string;

  @Column({ type: 'boolean' })
  sandbox: boolean;

  /** What the administrator granted. */
  @Column({ type: 'text', array: true })
  scopes: string[];

  /** Those of them that its package does not call optional. */
  @Column({ name: 'required_scopes', type: 'text', array: true })
  requiredScopes: string[];

  /** Of the installed version; only a sandbox is bound to them. */
  @Column({ name: 'redirect_uris', type: 'text', array: true })
  redirectUris: string[];

  /** SHA-256 of the secret; null until one is issued. */
  @Column({ name: 'secret_hash', type: 'bytea', nullable: true })
  secretHash: Buffer | null;

  @Column({ name: 'secret_created_at', type: 'timestamptz', nullable: true })
  secretCreatedAt: Date | null;

  /** To five minutes. */
  @Column({ name: 'secret_last_used_at', type: 'timestamptz', nullable: true })
  secretLastUsedAt: Date | null;

  /** Of the secret before this one, which stays valid for a time. */
  @Column({ name: 'previous_secret_hash', type: 'bytea', nullable: true })
  previousSecretHash: Buffer | null;

  @Column({ name: 'previous_secret_created_at', type: 'timestamptz', nullable: true })
  previousSecretCreatedAt: Date | null;

  @Column({ name: 'previous_secret_last_used_at', type: 'timestamptz', nullable: true })
  previousSecretLastUsedAt: Date | null;

  @Column({ name: 'previous_valid_until', type: 'timestamptz', nullable: true })
  previousValidUntil: Date | null;

  @Column({ name: 'ended_at', type: 'timestamptz', nullable: true })
  endedAt: Date | null;

  @Column({ name: 'updated_at', type: 'timestamptz' })
  updatedAt: Date;
}
