import type { CallOrigin } from './call-origin.js';

/**
 * Who makes a call, according to a verified token.
 * - `user`: a user of a tenant who has signed in
 * - `app`: an installed app with its own token, where `userId` is the installation, or with that of a user for whom it acts,
 *   where `userId` is the user and the roles are theirs
 * - `embed`: a user of a host application, inside the embedded CRM
 * - `internal`: a service that finishes work on behalf of a user or an installation after the call that started it
 * - `operator`: an operator of the platform; has no tenant
 */
export interface Principal extends CallOrigin {
  readonly kind: 'user' | 'app' | 'embed' | 'internal' | 'operator';
  readonly userId: string;
  /** Empty for operators, who belong to no tenant. */
  readonly tenantId: string;
  /** The workspace that an operator is linked to: they never decide on its submissions. */
  readonly linkedTenantId?: string;
  readonly roles: readonly string[];
  readonly scopes: readonly string[];
  /**
   * Of an app's token: the grant of the user, or the token itself. Absent in embed and internal tokens, and in those of API
   * keys.
   */
  readonly sessionId?: string;
  /** The API key with which a user or a service account (then `userId`) calls. */
  readonly apiKeyId?: string;
  /** Whether the key is of a service account. */
  readonly serviceAccount?: true;
  readonly tokenId: string;
  /** Unix time in milliseconds, taken from the token's id (a UUIDv7). */
  readonly issuedAtMs: number;
  /** Key of the app that acts or embeds. */
  readonly appKey?: string;
  readonly installationId?: string;
  /** The received token, for calls made on the principal's behalf. Never log it. */
  readonly token: string;
}
