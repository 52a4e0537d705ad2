/**
 * Who a verified token speaks for.
 * - `user`: somebody signed in to a workspace
 * - `app`: an installed app with its own token; `userId` is the installation
 * - `embed`: a user of a host application, inside the embedded CRM
 * - `internal`: a service that finishes work for a user or an installation after the call that started it
 * - `operator`: staff of the platform; has no tenant
 */
export interface Principal {
  readonly kind: 'user' | 'app' | 'embed' | 'internal' | 'operator';
  readonly userId: string;
  /** Empty for operators, who belong to no tenant. */
  readonly tenantId: string;
  readonly roles: readonly string[];
  readonly scopes: readonly string[];
  /** Absent in app, embed and internal tokens. */
  readonly sessionId?: string;
  readonly tokenId: string;
  /** Unix time in milliseconds, taken from the token's id (a UUIDv7). */
  readonly issuedAtMs: number;
  /** Key of the app that acts or embeds. */
  readonly appKey?: string;
  readonly installationId?: string;
  /** The token as it came in, for calls made on the principal's behalf. Never log it. */
  readonly token: string;
}
