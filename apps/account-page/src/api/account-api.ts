import { callApi, callApiForHeaders } from '@crm/api-client';

/** By what this browser is known at the next sign-in. It is no credential (decision record 0211). */
export interface DeviceToken {
  readonly deviceToken?: string;
}

/** The passkeys of an account whose password was set by a link. */
export interface PasskeysLeft {
  readonly passkeys: number;
  readonly passkeysRemoved: number;
}

/** Of a completed sign-in. The refresh token is not taken: a visit to this page is shorter than an access token lives. */
export interface Tokens extends DeviceToken {
  readonly accessToken: string;
}

export type Method = 'mail' | 'authenticator' | 'recovery_code' | 'passkey';

export interface CodeWanted {
  readonly mfaRequired: true;
  readonly challengeId: string;
  readonly methods: readonly Method[];
}

export interface EnrolmentWanted {
  readonly mfaEnrolmentRequired: true;
  readonly enrolmentToken: string;
}

/** What a sign-in answers, whichever way it is made. */
export type SignInAnswer = Tokens | CodeWanted | EnrolmentWanted;

export interface AuthenticatorSetup {
  readonly secret: string;
  readonly otpauthUri: string;
}

export interface Caller {
  readonly name: string;
  readonly email: string;
  readonly roles: readonly string[];
  readonly tenant: { readonly name: string; readonly verified?: boolean };
}

/** What a browser needs to ask for a passkey, and what is sent back with its answer. */
export interface PasskeyOptions {
  readonly challengeId: string;
  readonly publicKey: PublicKeyCredentialRequestOptionsJSON;
}

export interface Provider {
  readonly id: string;
  readonly name: string;
}

export interface AccessRequest {
  readonly id: string;
  readonly app: { readonly key: string; readonly name: string; readonly publisher: string };
  readonly tenant: { readonly id: string; readonly name: string };
  readonly scopes: readonly AskedScope[];
  readonly accessPeriod: AccessPeriod;
  /** Where the answer goes. */
  readonly redirectHost: string;
  readonly expiresAt: string;
}

/** When the access of an app ends: however often it is used, and without use. */
export interface AccessPeriod {
  readonly maxSeconds: number;
  readonly idleSeconds: number;
}

export interface AskedScope {
  readonly name: string;
  readonly description: string;
  readonly writes: boolean;
  /** Whether the app cannot work without it. */
  readonly required?: boolean;
}

const get = <Answer>(path: string, token?: string): Promise<Answer> => callApi({ method: 'GET', path, token });
const post = <Answer>(path: string, body: object, token?: string): Promise<Answer> =>
  callApi({ method: 'POST', path, body, token });

/** A cookie ties a sign-in at a provider to the browser that began it, so that nobody is signed in by the link of another. */
const postTied = <Answer>(path: string, body: object): Promise<Answer> =>
  callApi({ method: 'POST', path, body, withCookies: true });

const DEVICE_HEADER = 'x-device-token';

interface KnownCaller {
  readonly token?: string;
  /** By what the browser is known already. */
  readonly device?: string;
}

/** A call after which this browser may be known. */
export async function postKnown<Answer>(
  path: string,
  body: object,
  { token, device }: KnownCaller = {},
): Promise<Answer & DeviceToken> {
  const call = { method: 'POST', path, body, token, ...(device && { headers: { [DEVICE_HEADER]: device } }) } as const;
  const { answer, headers } = await callApiForHeaders<Answer>(call);
  const deviceToken = headers.get(DEVICE_HEADER);
  return { ...answer, ...(deviceToken !== null && { deviceToken }) };
}

/** The calls of this page. e2e/account/calls.spec.ts compares them with the document of the API. */
export const accountApi = {
  signIn: (email: string, password: string, device: string | undefined) =>
    postKnown<SignInAnswer>('/api/auth/login', { email, password }, { device }),
  verifyCode: (challengeId: string, code: string) => postKnown<Tokens>('/api/auth/mfa/verify', { challengeId, code }),
  startEnrolment: (enrolmentToken: string) => post<AuthenticatorSetup>('/api/auth/mfa/enrolment', { enrolmentToken }),
  confirmEnrolment: (enrolmentToken: string, code: string) =>
    postKnown<Tokens & { readonly recoveryCodes: readonly string[] }>('/api/auth/mfa/enrolment/confirm', {
      enrolmentToken,
      code,
    }),
  me: (token: string) => get<Caller>('/api/auth/me', token),
  signOut: (token: string) =>
    callApi<void>({ method: 'POST', path: '/api/auth/logout', body: {}, token, outlivesPage: true }),

  passkeyOptions: () => post<PasskeyOptions>('/api/auth/login/passkey/options', {}),
  signInWithPasskey: (answer: object) => postKnown<SignInAnswer>('/api/auth/login/passkey', answer),

  providersFor: (email: string) =>
    post<{ readonly providers: readonly Provider[] }>('/api/auth/oidc/discover', { email }),
  startAtProvider: (id: string, fresh: boolean) =>
    postTied<{ readonly redirectTo: string }>(`/api/auth/oidc/${encodeURIComponent(id)}/start`, { fresh }),
  exchangeCode: (code: string) => postTied<SignInAnswer>('/api/auth/oidc/exchange', { code }),

  accessRequest: (token: string, id: string) => get<AccessRequest>(`/api/auth/oauth/requests/${id}`, token),
  /** @param scopes what the app is given; everything that it asks for when it is left out */
  decide: (token: string, id: string, decision: 'approve' | 'deny', scopes?: readonly string[]) =>
    post<{ readonly redirectTo: string }>(
      `/api/auth/oauth/requests/${id}/decision`,
      { decision, ...(scopes && { scopes }) },
      token,
    ),

  askForReset: (email: string) => post<object>('/api/auth/password-resets', { email }),
  completeReset: (token: string, password: string, removePasskeys: boolean) =>
    postKnown<PasskeysLeft>('/api/auth/password-resets/complete', { token, password, removePasskeys }),
  acceptInvitation: (token: string, password: string) =>
    post<undefined>('/api/auth/invitations/accept', { token, password }),
  verifyEmail: (caller: string, token: string) => post<void>('/api/auth/verify-email', { token }, caller),
  resendVerification: (caller: string) => post<void>('/api/auth/verify-email/resend', {}, caller),
  confirmEmailChange: (token: string) => post<void>('/api/auth/email-change/confirm', { token }),
  undoEmailChange: (token: string) => post<void>('/api/auth/email-change/undo', { token }),
  undoLink: (token: string) => post<void>('/api/auth/embed-links/undo', { token }),
};

export type AccountApi = typeof accountApi;
