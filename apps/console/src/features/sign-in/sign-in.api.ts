import { type ApiCall, callApi, callApiForHeaders } from '@crm/api-client';
import type { SignedIn } from '../../session/session.js';

/** By what this browser is known at the next sign-in. It is no credential (decision record 0211). */
export interface DeviceToken {
  readonly deviceToken?: string;
}

/** The passkeys of an account whose password was set by a link. */
export interface PasskeysLeft {
  readonly passkeys: number;
  readonly passkeysRemoved: number;
}

/** Of a completed sign-in. */
export type Tokens = DeviceToken & SignedIn;

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

/** What a browser needs to ask for a passkey, and what is sent back with its answer. */
export interface PasskeyOptions {
  readonly challengeId: string;
  readonly publicKey: PublicKeyCredentialRequestOptionsJSON;
}

export interface Provider {
  readonly id: string;
  readonly name: string;
}

const post = <Answer>(path: string, body: object): Promise<Answer> => callApi({ method: 'POST', path, body });

/** A cookie ties a sign-in at a provider to the browser that began it, so that nobody is signed in by the link of another. */
const postTied = <Answer>(path: string, body: object): Promise<Answer> =>
  callApi({ method: 'POST', path, body, withCookies: true });

const DEVICE_HEADER = 'x-device-token';

/** A call after which this browser may be known. */
async function postKnown<Answer>(
  path: string,
  body: object,
  call: Partial<ApiCall> = {},
): Promise<Answer & DeviceToken> {
  const { answer, headers } = await callApiForHeaders<Answer>({ method: 'POST', path, body, ...call });
  return { ...answer, ...deviceOf(headers) };
}

/** @param headers of an answer after which this browser may be known */
export function deviceOf(headers: Headers): DeviceToken {
  const deviceToken = headers.get(DEVICE_HEADER);
  return deviceToken === null ? {} : { deviceToken };
}

/** The calls of nobody yet, or of a link in a mail. e2e/account/calls.spec.ts compares them with the document of the API. */
export const signInApi = {
  /** The session begins with it, unless more is needed: its refresh token goes into the cookie. */
  signIn: (email: string, password: string, device: string | undefined) =>
    postKnown<SignInAnswer>(
      '/api/auth/session',
      { email, password },
      {
        withCookies: true,
        headers: { 'x-requested-with': 'crm-page', ...(device && { [DEVICE_HEADER]: device }) },
      },
    ),
  verifyCode: (challengeId: string, code: string) => postKnown<Tokens>('/api/auth/mfa/verify', { challengeId, code }),
  startEnrolment: (enrolmentToken: string) => post<AuthenticatorSetup>('/api/auth/mfa/enrolment', { enrolmentToken }),
  confirmEnrolment: (enrolmentToken: string, code: string) =>
    postKnown<Tokens & { readonly recoveryCodes: readonly string[] }>('/api/auth/mfa/enrolment/confirm', {
      enrolmentToken,
      code,
    }),

  passkeyOptions: () => post<PasskeyOptions>('/api/auth/login/passkey/options', {}),
  signInWithPasskey: (answer: object) => postKnown<SignInAnswer>('/api/auth/login/passkey', answer),

  providersFor: (email: string) =>
    post<{ readonly providers: readonly Provider[] }>('/api/auth/oidc/discover', { email }),
  startAtProvider: (id: string, fresh: boolean) =>
    postTied<{ readonly redirectTo: string }>(`/api/auth/oidc/${encodeURIComponent(id)}/start`, { fresh }),
  exchangeCode: (code: string) => postTied<SignInAnswer>('/api/auth/oidc/exchange', { code }),

  askForReset: (email: string) => post<object>('/api/auth/password-resets', { email }),
  completeReset: (token: string, password: string, removePasskeys: boolean) =>
    postKnown<PasskeysLeft>('/api/auth/password-resets/complete', { token, password, removePasskeys }),
  acceptInvitation: (token: string, password: string) =>
    post<undefined>('/api/auth/invitations/accept', { token, password }),
  confirmEmailChange: (token: string) => post<void>('/api/auth/email-change/confirm', { token }),
  undoEmailChange: (token: string) => post<void>('/api/auth/email-change/undo', { token }),
  undoLink: (token: string) => post<void>('/api/auth/embed-links/undo', { token }),
};
