import Type, { type Static } from 'typebox';

/**
 * Makes tokens invalid before they expire. `user`, `app`, `tenant` and `installation` cut off every token issued
 * before `cutoffMs` (compared with the millisecond in the token's `jti`); `session` ends one session by its `sid`;
 * `signing_key` ends every token that was signed with a key, whatever it says of itself.
 */
export const Revocation = Type.Object({
  kind: Type.Enum(['user', 'session', 'app', 'tenant', 'installation', 'signing_key']),
  /** Id of the user, session, tenant, installation or signing key, or key of the app. */
  id: Type.String(),
  /** Unix time in milliseconds. */
  cutoffMs: Type.Integer(),
});
export type Revocation = Static<typeof Revocation>;

/** Key in the bucket: `<kind>.<id>`. */
export const revocationKey = (kind: Revocation['kind'], id: string): string => `${kind}.${id}`;
