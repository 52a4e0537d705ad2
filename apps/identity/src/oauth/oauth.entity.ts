import type { OAuthAppStatus } from '@crm/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TenantRow } from '../tenant-row.js';
import { ClientSecrets } from './client-secrets.js';

/** An app that acts, or may act, for a user. */
abstract class AppOfUser extends TenantRow {
  @Column({ name: 'installation_id', type: 'uuid' }) installationId: string;
  @Column({ name: 'app_key', type: 'text' }) appKey: string;
  @Column({ name: 'app_name', type: 'text' }) appName: string;
  @Column({ type: 'text' }) publisher: string;
  @Column({ name: 'user_id', type: 'uuid' }) userId: string;
  @Column({ type: 'text', array: true }) scopes: string[];
}

/** A user's approval that the app has yet to exchange. A used one stays for a day, so that a copy is recognised. */
@Entity({ name: 'oauth_code' })
export class AuthorizationCode extends AppOfUser {
  /** The grant that it is exchanged for has the same id. */
  @PrimaryColumn({ type: 'uuid' }) id: string;

  /** SHA-256 of the code's secret part. */
  @Column({ name: 'code_hash', type: 'bytea' }) codeHash: Buffer;
  @Column({ name: 'redirect_uri', type: 'text' }) redirectUri: string;

  /** SHA-256 of the verifier that the app keeps, in base64url (RFC 7636, S256). */
  @Column({ name: 'code_challenge', type: 'text' }) codeChallenge: string;
  @Column({ name: 'valid_until', type: 'timestamptz' }) validUntil: Date;
  @Column({ name: 'used_at', type: 'timestamptz', nullable: true }) usedAt: Date | null;

  /** When the row is deleted. */
  @Column({ name: 'expires_at', type: 'timestamptz' }) expiresAt: Date;
}

/** An app asks to act for anyone who signs in. Decided ones are deleted. */
@Entity({ name: 'oauth_request' })
export class AuthorizationRequest {
  /** SHA-256 of the id in the address of the page. */
  @PrimaryColumn({ name: 'request_hash', type: 'bytea' }) requestHash: Buffer;
  @Column({ name: 'app_key', type: 'text' }) appKey: string;

  /** When the app names one; otherwise that of the user's workspace. */
  @Column({ name: 'installation_id', type: 'uuid', nullable: true }) installationId: string | null;
  @Column({ name: 'redirect_uri', type: 'text' }) redirectUri: string;

  /** Null for all that the installation was granted. */
  @Column({ type: 'text', array: true, nullable: true }) scopes: string[] | null;
  @Column({ type: 'text', nullable: true }) state: string | null;
  @Column({ name: 'code_challenge', type: 'text' }) codeChallenge: string;
  @Column({ name: 'expires_at', type: 'timestamptz' }) expiresAt: Date;
}

/** What holds for an app in every workspace. An app without a row is active and has no redirect URIs. */
@Entity({ name: 'oauth_app' })
export class OAuthApp {
  @PrimaryColumn({ name: 'app_key', type: 'text' }) appKey: string;

  /** Those of the published version. */
  @Column({ name: 'redirect_uris', type: 'text', array: true }) redirectUris: string[];
  @Column({ type: 'text' }) status: OAuthAppStatus;
  @Column({ name: 'updated_at', type: 'timestamptz' }) updatedAt: Date;
}

/** An installation as an OAuth client. An ended one stays for a while, so that a late registration does not revive it. */
@Entity({ name: 'oauth_installation' })
export class OAuthInstallation extends ClientSecrets {
  @PrimaryColumn({ name: 'installation_id', type: 'uuid' }) installationId: string;
  @Column({ name: 'tenant_id', type: 'uuid' }) tenantId: string;
  @Column({ name: 'client_id', type: 'text' }) clientId: string;
  @Column({ name: 'app_key', type: 'text' }) appKey: string;
  @Column({ name: 'app_name', type: 'text' }) appName: string;
  @Column({ type: 'text' }) publisher: string;
  @Column({ type: 'boolean' }) sandbox: boolean;

  /** What the administrator granted. */
  @Column({ type: 'text', array: true }) scopes: string[];

  /** Those of them that its package does not call optional. */
  @Column({ name: 'required_scopes', type: 'text', array: true }) requiredScopes: string[];

  /** Those of the installed version; only a sandbox is bound to them. */
  @Column({ name: 'redirect_uris', type: 'text', array: true }) redirectUris: string[];

  /** SHA-256 of the secret; null until one is issued. */
  @Column({ name: 'secret_hash', type: 'bytea', nullable: true }) secretHash: Buffer | null;
  @Column({ name: 'secret_created_at', type: 'timestamptz', nullable: true }) secretCreatedAt: Date | null;
  @Column({ name: 'ended_at', type: 'timestamptz', nullable: true }) endedAt: Date | null;
  @Column({ name: 'updated_at', type: 'timestamptz' }) updatedAt: Date;
}

/** An app acts for a user. Ended grants are deleted. */
@Entity({ name: 'oauth_grant' })
export class Grant extends AppOfUser {
  /** The `sid` of its access tokens. */
  @PrimaryColumn({ type: 'uuid' }) id: string;
  @Column({ name: 'created_at', type: 'timestamptz' }) createdAt: Date;
  @Column({ name: 'last_used_at', type: 'timestamptz' }) lastUsedAt: Date;

  /** When it ends unless it is refreshed before; never after {@link endsAt}. */
  @Column({ name: 'expires_at', type: 'timestamptz' }) expiresAt: Date;

  /** When it ends however often it is refreshed. */
  @Column({ name: 'ends_at', type: 'timestamptz' }) endsAt: Date;
}

/** A refresh token of an app. Exchanged ones stay until they expire, so that a copy is recognised. */
@Entity({ name: 'oauth_refresh_token' })
export class GrantToken extends TenantRow {
  /** SHA-256 of the token. */
  @PrimaryColumn({ name: 'token_hash', type: 'bytea' }) tokenHash: Buffer;
  @PrimaryColumn({ name: 'grant_id', type: 'uuid' }) grantId: string;
  @Column({ name: 'expires_at', type: 'timestamptz' }) expiresAt: Date;

  /** When it was exchanged; null while it is valid. */
  @Column({ name: 'rotated_at', type: 'timestamptz', nullable: true }) rotatedAt: Date | null;

  /** What it was exchanged for, sealed with a key that only this token gives; null once the successor was used. */
  @Column({ name: 'sealed_successor', type: 'bytea', nullable: true }) sealedSuccessor: Buffer | null;
}
