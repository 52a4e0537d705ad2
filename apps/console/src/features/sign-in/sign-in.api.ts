import { createApiClient, type SignInView } from '@crm/api-client';
import type { SignedIn } from '../../session/session.js';
import type { PasskeyOptions } from './passkey.js';

/** By what this browser is known at the next sign-in. It is no credential (decision record 0211). */
export interface DeviceToken {
  readonly deviceToken?: string;
}

/** What a sign-in answers, whichever way it is made: a session, or what it still needs. */
export type SignInAnswer = Partial<SignedIn> &
  DeviceToken &
  Pick<SignInView, 'challengeId' | 'methods' | 'enrolmentToken' | 'passwordChangeRequired'> & {
    readonly recoveryCodes?: readonly string[];
  };

export interface Credentials {
  readonly email: string;
  readonly password: string;
  /** In place of one that an administrator chose. */
  readonly newPassword?: string;
}

const DEVICE_HEADER = 'x-device-token';

/** @returns the body of an answer, and by what this browser is known from then on */
export async function answerOf<Answer>(
  call: Promise<{ readonly data?: Answer; readonly response: Response }>,
): Promise<NonNullable<Answer> & DeviceToken> {
  const { data, response } = await call;
  const deviceToken = response.headers.get(DEVICE_HEADER);
  return { ...data, ...(deviceToken !== null && { deviceToken }) } as NonNullable<Answer> & DeviceToken;
}

const nobody = createApiClient({ baseUrl: location.origin });

/** A cookie is set or sent along: the session, or what ties a sign-in at a provider to the browser that began it. */
const COOKIES = { credentials: 'same-origin' } as const;

/** The calls of nobody yet, or of a link in a mail. */
export const signInApi = {
  /** The session begins with it, unless more is needed: its refresh token goes into the cookie. */
  signIn: (credentials: Credentials, device: string | undefined): Promise<SignInAnswer> =>
    answerOf(
      nobody.POST('/api/auth/session', {
        ...COOKIES,
        body: credentials,
        headers: { 'x-requested-with': 'crm-page', ...(device && { [DEVICE_HEADER]: device }) },
      }),
    ),
  verifyCode: (challengeId: string, code: string): Promise<SignInAnswer> =>
    answerOf(nobody.POST('/api/auth/mfa/verify', { body: { challengeId, code } })),
  startEnrolment: (enrolmentToken: string) =>
    answerOf(nobody.POST('/api/auth/mfa/enrolment', { body: { enrolmentToken } })),
  confirmEnrolment: (enrolmentToken: string, code: string): Promise<SignInAnswer> =>
    answerOf(nobody.POST('/api/auth/mfa/enrolment/confirm', { body: { enrolmentToken, code } })),

  passkeyOptions: (): Promise<PasskeyOptions> => answerOf(nobody.POST('/api/auth/login/passkey/options')),
  signInWithPasskey: (answer: object): Promise<SignInAnswer> =>
    answerOf(nobody.POST('/api/auth/login/passkey', { body: answer as never })),

  providersFor: (email: string) => answerOf(nobody.POST('/api/auth/oidc/discover', { body: { email } })),
  startAtProvider: (providerId: string, fresh: boolean) =>
    answerOf(
      nobody.POST('/api/auth/oidc/{providerId}/start', {
        ...COOKIES,
        params: { path: { providerId } },
        body: { fresh },
      }),
    ),
  exchangeCode: (code: string): Promise<SignInAnswer> =>
    answerOf(nobody.POST('/api/auth/oidc/exchange', { ...COOKIES, body: { code } })),

  askForReset: (email: string) => nobody.POST('/api/auth/password-resets', { body: { email } }),
  completeReset: (token: string, password: string, removePasskeys: boolean) =>
    answerOf(nobody.POST('/api/auth/password-resets/complete', { body: { token, password, removePasskeys } })),
  lookAtInvitation: (token: string) => answerOf(nobody.POST('/api/auth/invitations/look', { body: { token } })),
  /** @param password of someone who has no account yet */
  acceptInvitation: (token: string, password?: string) =>
    nobody.POST('/api/auth/invitations/accept', { body: { token, ...(password !== undefined && { password }) } }),
  declineInvitation: (token: string) => nobody.POST('/api/auth/invitations/decline', { body: { token } }),
  confirmEmailChange: (token: string) => nobody.POST('/api/auth/email-change/confirm', { body: { token } }),
  undoEmailChange: (token: string) => nobody.POST('/api/auth/email-change/undo', { body: { token } }),
  undoLink: (token: string) => nobody.POST('/api/auth/embed-links/undo', { body: { token } }),
};
