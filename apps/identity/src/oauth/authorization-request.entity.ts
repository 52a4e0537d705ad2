import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An app asks to act for whoever signs in. Decided ones are deleted. */
@Entity({ name: 'oauth_request' })
export class AuthorizationRequest {
  /** SHA-256 of the id in the address of the page. */
  @PrimaryColumn({ name: 'request_hash', type: 'bytea' })
  requestHash: Buffer;

  @Column({ name: 'app_key', type: 'text' })
  appKey: string;

  /** When the app names one; otherwise that of the user's workspace. */
  @Column({ name: 'installation_id', type: 'uuid', nullable: true })
  installationId: string | null;

  @Column({ name: 'redirect_uri', type: 'text' })
  redirectUri: string;

  /** Null for all that the installation was granted. */
  @Column({ type: 'text', array: true, nullable: true })
  scopes: string[] | null;

  @Column({ type: 'text', nullable: true })
  state: string | null;

  @Column({ name: 'code_challenge', type: 'text' })
  codeChallenge: string;

  @Column({ name: 'expires_at', type: 'timestamptz' })
  expiresAt: Date;
}
