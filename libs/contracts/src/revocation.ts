import Type, { type Static } from 'typebox';

/**
 * Makes tokens invalid before they expire. `user`, `app`, `tenant` and `installation` cut off every token issued
 * before `cutoffMs` (compared with the millisecond in the token's `jti`); `grant` does so for the tokens with which an app acts
 * for one user, by their `sid`; `embedding` for the tokens that the hosts of an app have got; `session` ends one session, or such a grant, by its `sid`, whenever its tokens were issued;
 * `signing_key` ends every token that was signed with a key, whatever it says of itself. `suspension` and `reinstatement` say
 * when a tenant was suspended and when that was lifted: until it is, no token of the tenant is accepted, whenever it was issued.
 * They are two entries because each only ever moves forward: whatever order they arrive in, the later one counts.
 * `revoked_app` says that an app was revoked, which is final: nothing of it works any more, in any workspace.
 */
export const Revocation = Type.Object({
  kind: Type.Enum([
    'user',
    'session',
    'grant',
    'app',
    'tenant',
    'installation',
    'embedding',
    'signing_key',
    'suspension',
    'reinstatement',
    'revoked_app',
  ]),
  /** Id of the user, session, grant, tenant, installation or signing key, or key of the app (`app`, `embedding`). */
  id: Type.String(),
  /** Unix time in milliseconds. */
  cutoffMs: Type.Integer(),
});
export type Revocation = Static<typeof Revocation>;

/** Key in the bucket: `<kind>.<id>`. */
export const revocationKey = (kind: Revocation['kind'], id: string): string => `${kind}.${id}`;
