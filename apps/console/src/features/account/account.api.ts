import type { ApiClient } from '@crm/api-client';
import { useMemo } from 'react';
import { useApiClient } from '../../session/api-client-context.js';
import type { PasskeyOptions } from '../sign-in/passkey.js';
import { answerOf, type SignInAnswer } from '../sign-in/sign-in.api.js';

/** Everything there is, in one page: lists of one person are short. */
const ALL = { params: { query: { size: 200 } } } as const;

/** What proves within a session who uses it. */
export interface Proof {
  readonly password?: string;
  readonly challengeId?: string;
  readonly code?: string;
}

export type PasswordChange = Proof & { readonly currentPassword: string; readonly newPassword: string };

const byId = (id: string) => ({ params: { path: { id } } });

/** The calls of someone who is signed in: for their account, and for what they decide with it. */
const accountApi = (client: ApiClient) => ({
  sessions: () => answerOf(client.GET('/api/auth/sessions', ALL)),
  endSession: (id: string) => client.DELETE('/api/auth/sessions/{id}', byId(id)),

  workspaces: () => answerOf(client.GET('/api/auth/workspaces')),
  /** Where the session sees its own workspace alone. */
  allWorkspaces: (password: string) => answerOf(client.POST('/api/auth/workspaces', { body: { password } })),
  /** @param password where an identity provider has signed in, which speaks for its own workspace alone */
  enterWorkspace: (tenantId: string, password?: string): Promise<SignInAnswer> =>
    answerOf(client.POST('/api/auth/switch', { body: { tenantId, ...(password !== undefined && { password }) } })),
  leaveWorkspace: (tenantId: string) =>
    client.DELETE('/api/auth/workspaces/{tenantId}', { params: { path: { tenantId } } }),
  offers: () => answerOf(client.GET('/api/auth/workspaces/offers')),
  acceptOffer: (userId: string) =>
    client.POST('/api/auth/workspaces/offers/{userId}/accept', { params: { path: { userId } } }),
  declineOffer: (userId: string) =>
    client.POST('/api/auth/workspaces/offers/{userId}/decline', { params: { path: { userId } } }),

  passkeys: () => answerOf(client.GET('/api/auth/passkeys')),
  newPasskeyOptions: (): Promise<PasskeyOptions> => answerOf(client.POST('/api/auth/passkeys/options')),
  addPasskey: (answer: object) => client.POST('/api/auth/passkeys', { body: answer as never }),
  renamePasskey: (id: string, name: string) => client.PATCH('/api/auth/passkeys/{id}', { ...byId(id), body: { name } }),
  removePasskey: (id: string) => client.DELETE('/api/auth/passkeys/{id}', byId(id)),

  secondFactor: () => answerOf(client.GET('/api/auth/mfa')),
  setSecondFactor: (enabled: boolean, password: string) => client.PUT('/api/auth/mfa', { body: { enabled, password } }),
  startAuthenticator: () => answerOf(client.POST('/api/auth/mfa/authenticator')),
  confirmAuthenticator: (code: string) =>
    answerOf(client.POST('/api/auth/mfa/authenticator/confirm', { body: { code } })),
  removeAuthenticator: () => client.DELETE('/api/auth/mfa/authenticator'),
  newRecoveryCodes: () => answerOf(client.POST('/api/auth/mfa/recovery-codes')),

  grants: () => answerOf(client.GET('/api/auth/oauth/grants', ALL)),
  narrowGrant: (id: string, scopes: string[]) =>
    answerOf(client.PATCH('/api/auth/oauth/grants/{id}', { ...byId(id), body: { scopes } })),
  endGrant: (id: string) => client.DELETE('/api/auth/oauth/grants/{id}', byId(id)),

  apiKeys: () => answerOf(client.GET('/api/auth/api-keys', ALL)),
  makeApiKey: (key: { readonly name: string; readonly scopes: readonly string[]; readonly expiresInDays: number }) =>
    answerOf(client.POST('/api/auth/api-keys', { body: key as never })),
  endApiKey: (id: string) => client.DELETE('/api/auth/api-keys/{id}', byId(id)),

  changePassword: (change: PasswordChange) => answerOf(client.POST('/api/auth/password', { body: change })),

  /** @returns what a second call must answer; undefined once the proof is noted */
  prove: async (proof: Proof) => (await client.POST('/api/auth/step-up', { body: proof })).data,
  provingPasskeyOptions: (): Promise<PasskeyOptions> => answerOf(client.POST('/api/auth/step-up/passkey/options')),
  proveWithPasskey: (answer: object) => client.POST('/api/auth/step-up/passkey', { body: answer as never }),

  accessRequest: (id: string) => answerOf(client.GET('/api/auth/oauth/requests/{id}', byId(id))),
  /** @param scopes what the app is given; everything that it asks for when it is left out */
  decide: (id: string, decision: 'approve' | 'deny', scopes?: string[]) =>
    answerOf(client.POST('/api/auth/oauth/requests/{id}/decision', { ...byId(id), body: { decision, scopes } })),
  verifyEmail: (token: string) => client.POST('/api/auth/verify-email', { body: { token } }),
  resendVerification: () => client.POST('/api/auth/verify-email/resend'),
});

export type AccountApi = ReturnType<typeof accountApi>;

export function useAccountApi(): AccountApi {
  const client = useApiClient();
  return useMemo(() => accountApi(client), [client]);
}

export type AccessRequest = Awaited<ReturnType<AccountApi['accessRequest']>>;
export type Session = Awaited<ReturnType<AccountApi['sessions']>>['data'][number];
export type WorkspaceOfPerson = Awaited<ReturnType<AccountApi['workspaces']>>['data'][number];
export type Offer = Awaited<ReturnType<AccountApi['offers']>>['data'][number];
export type Passkey = Awaited<ReturnType<AccountApi['passkeys']>>['data'][number];
export type SecondFactor = Awaited<ReturnType<AccountApi['secondFactor']>>;
export type Grant = Awaited<ReturnType<AccountApi['grants']>>['data'][number];
export type ApiKey = Awaited<ReturnType<AccountApi['apiKeys']>>['data'][number];
