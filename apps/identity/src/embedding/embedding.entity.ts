import { Column, Entity, PrimaryColumn } from 'typeorm';
import { ClientSecrets } from '../oauth/client-secrets.js';
import { TenantRow } from '../tenant-row.js';

/** Which user of the tenant a host's user is. */
@Entity({ name: 'embed_user' })
export class EmbedUser extends TenantRow {
  @PrimaryColumn({ name: 'app_key', type: 'text' }) appKey: string;

  /** How the host names its user. */
  @PrimaryColumn({ type: 'text' }) sub: string;
  @Column({ name: 'user_id', type: 'uuid' }) userId: string;

  /** SHA-256 of what the mail about the link carries; null for a link that the host did not make by address, or that was undone. */
  @Column({ name: 'undo_hash', type: 'bytea', nullable: true }) undoHash: Buffer | null;
  @Column({ name: 'undo_expires_at', type: 'timestamptz', nullable: true }) undoExpiresAt: Date | null;

  @Column({ name: 'linked_at', type: 'timestamptz' }) linkedAt: Date;

  /** When the user undid the link. */
  @Column({ name: 'undone_at', type: 'timestamptz', nullable: true }) undoneAt: Date | null;
}

/** Credentials of an embed app. The tenant is the app's own, whose users it embeds. */
@Entity({ name: 'embed_client' })
export class EmbedClient extends ClientSecrets {
  @PrimaryColumn({ name: 'client_id', type: 'text' }) clientId: string;
  @Column({ name: 'app_key', type: 'text' }) appKey: string;
  @Column({ name: 'tenant_id', type: 'uuid' }) tenantId: string;

  /** SHA-256 of the secret. */
  @Column({ name: 'secret_hash', type: 'bytea' }) secretHash: Buffer;
  @Column({ name: 'allowed_origins', type: 'text', array: true }) allowedOrigins: string[];
  @Column({ type: 'text', array: true }) scopes: string[];
  @Column({ name: 'link_users_by', type: 'text' }) linkUsersBy: 'email' | 'explicit';
  @Column({ name: 'secret_created_at', type: 'timestamptz' }) secretCreatedAt: Date;

  /** The user whose roles links by address cannot exceed. */
  @Column({ name: 'issued_by', type: 'uuid' }) issuedBy: string;

  /** When the publisher's workspace uninstalled the app; null while it is installed, and before it ever was. */
  @Column({ name: 'ended_at', type: 'timestamptz', nullable: true }) endedAt: Date | null;

  /** True when an operator has reviewed a version of the app. */
  @Column({ type: 'boolean' }) reviewed: boolean;

  /** `http://localhost` origins that may frame the page as well; none once the app is reviewed. */
  @Column({ name: 'development_origins', type: 'text', array: true }) developmentOrigins: string[];
  @Column({ name: 'updated_at', type: 'timestamptz' }) updatedAt: Date;
}

/** What a mint is decided on. */
export interface MintClient
  extends Pick<EmbedClient, 'appKey' | 'tenantId' | 'allowedOrigins' | 'scopes' | 'linkUsersBy'> {
  /** The roles of the user who issued the secret; null when that user is no longer active. Known where a link by address depends on it. */
  issuerRoles: readonly string[] | null;
}
