import { callApi } from '@crm/api-client';
import { type AuthenticatorSetup, type DeviceToken, type PasskeyOptions, postKnown } from './account-api.js';

export interface Session {
  readonly id: string;
  readonly current: boolean;
  readonly device: string | null;
  readonly address: string | null;
  readonly lastAddress: string | null;
  readonly createdAt: string;
  readonly lastUsedAt: string;
}

export interface Passkey {
  readonly id: string;
  readonly name: string;
  /** Whether it is synchronised between devices. */
  readonly synced: boolean;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
}

/** What a browser needs to make a passkey. */
export interface NewPasskeyOptions {
  readonly challengeId: string;
  readonly publicKey: PublicKeyCredentialCreationOptionsJSON;
}

export interface SecondFactor {
  readonly enabled: boolean;
  /** Whether it is an authenticator app; otherwise codes are sent by e-mail. */
  readonly authenticator: boolean;
  readonly recoveryCodesLeft: number;
  /** Whether the workspace requires a second factor. */
  readonly required: boolean;
}

export interface Grant {
  readonly id: string;
  readonly app: { readonly name: string; readonly publisher: string };
  readonly scopes: readonly string[];
  /** Those of them that the app cannot work without. */
  readonly requiredScopes: readonly string[];
  readonly createdAt: string;
  readonly lastUsedAt: string;
  readonly expiresAt: string;
}

export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly scopes: readonly string[];
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly lastUsedAt: string | null;
  readonly lastAddress: string | null;
}

export interface NewApiKey {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expiresInDays: number;
}

/** A code was sent by e-mail, and nothing has been done yet. */
export interface CodeSent {
  readonly mfaRequired?: true;
  readonly challengeId?: string;
}

/** What proves within a session who uses it. */
export interface Proof {
  readonly password?: string;
  readonly challengeId?: string;
  readonly code?: string;
}

interface List<Entry> {
  readonly data: readonly Entry[];
  readonly hasMore?: boolean;
}

const get = <Answer>(token: string, path: string): Promise<Answer> => callApi({ method: 'GET', path, token });
const post = <Answer>(token: string, path: string, body?: object): Promise<Answer> =>
  callApi({ method: 'POST', path, body, token });
const remove = (token: string, path: string): Promise<void> => callApi({ method: 'DELETE', path, token });

/** The calls of the views in which people look after their account. e2e/account/calls.spec.ts compares them with the document of the API. */
export const securityApi = {
  sessions: (token: string) => get<List<Session>>(token, '/api/auth/sessions?size=200'),
  endSession: (token: string, id: string) => remove(token, `/api/auth/sessions/${id}`),

  passkeys: (token: string) => get<List<Passkey>>(token, '/api/auth/passkeys'),
  newPasskeyOptions: (token: string) => post<NewPasskeyOptions>(token, '/api/auth/passkeys/options'),
  addPasskey: (token: string, answer: object) => post<Passkey>(token, '/api/auth/passkeys', answer),
  renamePasskey: (token: string, id: string, name: string) =>
    callApi<Passkey>({ method: 'PATCH', path: `/api/auth/passkeys/${id}`, body: { name }, token }),
  removePasskey: (token: string, id: string) => remove(token, `/api/auth/passkeys/${id}`),

  secondFactor: (token: string) => get<SecondFactor>(token, '/api/auth/mfa'),
  setSecondFactor: (token: string, enabled: boolean, password: string) =>
    callApi<void>({ method: 'PUT', path: '/api/auth/mfa', body: { enabled, password }, token }),
  startAuthenticator: (token: string) => post<AuthenticatorSetup>(token, '/api/auth/mfa/authenticator'),
  confirmAuthenticator: (token: string, code: string) =>
    post<{ readonly recoveryCodes: readonly string[] }>(token, '/api/auth/mfa/authenticator/confirm', { code }),
  removeAuthenticator: (token: string) => remove(token, '/api/auth/mfa/authenticator'),
  newRecoveryCodes: (token: string) =>
    post<{ readonly recoveryCodes: readonly string[] }>(token, '/api/auth/mfa/recovery-codes'),

  grants: (token: string) => get<List<Grant>>(token, '/api/auth/oauth/grants?size=200'),
  narrowGrant: (token: string, id: string, scopes: readonly string[]) =>
    callApi<Grant>({ method: 'PATCH', path: `/api/auth/oauth/grants/${id}`, body: { scopes }, token }),
  endGrant: (token: string, id: string) => remove(token, `/api/auth/oauth/grants/${id}`),

  apiKeys: (token: string) => get<List<ApiKey>>(token, '/api/auth/api-keys?size=200'),
  makeApiKey: (token: string, key: NewApiKey) =>
    post<ApiKey & { readonly key: string }>(token, '/api/auth/api-keys', key),
  endApiKey: (token: string, id: string) => remove(token, `/api/auth/api-keys/${id}`),

  changePassword: (token: string, change: Proof & { readonly currentPassword: string; readonly newPassword: string }) =>
    postKnown<CodeSent & DeviceToken>('/api/auth/password', change, { token }),

  /** @returns what a second call must answer; undefined once the proof is noted */
  prove: (token: string, proof: Proof) => post<CodeSent | undefined>(token, '/api/auth/step-up', proof),
  provingPasskeyOptions: (token: string) => post<PasskeyOptions>(token, '/api/auth/step-up/passkey/options'),
  proveWithPasskey: (token: string, answer: object) => post<void>(token, '/api/auth/step-up/passkey', answer),
};
