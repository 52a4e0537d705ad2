/** Audiences of the platform's JSON Web Tokens. */
export const AUDIENCES = {
  /** Tenant API: users, installed apps and embedded users. */
  api: 'platform-api',
  /** Operators, at marketplace-admin. */
  admin: 'platform-admin',
  /** Work that outlives the call that started it: sagas and workflow runs. */
  internal: 'platform-internal',
} as const;
export type Audience = (typeof AUDIENCES)[keyof typeof AUDIENCES];

/** Lifetimes in seconds. */
export const ACCESS_TOKEN_SECONDS = 900;
export const EMBED_TOKEN_SECONDS = 900;
export const INTERNAL_TOKEN_SECONDS = 60;
/** The token that an API key is exchanged for lives for the minute that the gateway keeps it, and a call that runs meanwhile. */
export const API_KEY_TOKEN_SECONDS = 120;

/** The oldest token that is accepted, whatever its `exp` says: no token of the platform is valid for longer. */
export const MAX_TOKEN_AGE_SECONDS = Math.max(ACCESS_TOKEN_SECONDS, EMBED_TOKEN_SECONDS, INTERNAL_TOKEN_SECONDS);

/** `typ` header of every access token (RFC 9068, section 2.1). */
export const ACCESS_TOKEN_TYPE = 'at+jwt';

/** Claims of an access token (RFC 9068 profile; `jti` is a UUIDv7 whose millisecond is the time of issue). */
export interface AccessTokenClaims {
  iss: string;
  aud: Audience;
  /** The user; for an installed app's own token the installation. */
  sub: string;
  /** The tenant; absent in operator tokens. */
  tid?: string;
  /** The workspace whose submissions an operator never decides on; in operator tokens only. */
  linked_tid?: string;
  roles: string[];
  scopes: string[];
  /**
   * The session, or the API key with `api_key`. In the tokens of an app what ends them: the grant of the user it acts for, or a
   * name of this one token. Absent in embed and internal tokens.
   */
  sid?: string;
  /** The token was exchanged for an API key: `sid` is the key, so that ending a key is published as ending a session is. */
  api_key?: true;
  /** The key is of a service account: `sub` is no user. */
  service_account?: true;
  iat: number;
  exp: number;
  jti: string;
  embed?: true;
  /** Key of the app that embeds. */
  embed_app_id?: string;
  /**
   * Who acts for the subject (RFC 8693, section 4.1): an app's key, with its installation where there is one and whether that is a
   * sandbox. What an app reaches is decided by the installation, never by the key.
   */
  act?: { sub: string; installation_id?: string; sandbox?: true };
}

/** The tokens of a session. */
export interface TokenPair {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly tokenType: 'Bearer';
  /** Lifetime of the access token in seconds. */
  readonly expiresIn: number;
}
