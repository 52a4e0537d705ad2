import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A user's approval that the app has yet to exchange. A used one stays for a day, so that a copy is recognised. */
@Entity({ name: 'oauth_code' })
export class AuthorizationCode {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' })
  tenantId: string;

  /** The grant that it is exchanged for has the same id. */
  @PrimaryColumn({ type: 'uuid' })
  id: string;

  /** SHA-256 of the code's secret part. */
  @Column({ name: 'code_hash', type: 'bytea' })
  codeHash: Buffer;

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

  @Column({ name: 'redirect_uri', type: 'text' })
  redirectUri: string;

  @Column({ type: 'text', array: true })
  scopes: string[];

  /** SHA-256 of the verifier that the app keeps, in base64url (RFC 7636, S256). */
  @Column({ name: 'code_challenge', type: 'text' })
  codeChallenge: string;

  @Column({ name: 'valid_until', type: 'timestamptz' })
  validUntil: Date;

  @Column({ name: 'used_at', type: 'timestamptz', nullable: true })
  usedAt: Date | null;

  /** When the row is deleted. */
  @Column({ name: 'expires_at', type: 'timestamptz' })
  expiresAt: Date;
}
