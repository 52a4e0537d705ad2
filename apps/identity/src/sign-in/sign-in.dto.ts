import { BooleanField, EnumField, field, IdField, IntegerField, ListField, TextField } from '@crm/http';
import { TokenPairView } from '../sessions/session.dto.js';
import { NEW_PASSWORD } from './password.service.js';
import { SECOND_FACTOR_POLICIES, type SecondFactorPolicy } from './sign-in.entity.js';

/** Only limits: a sign-in with a value that no account can have fails like any other. */
export class SignInInput {
  @TextField({ maxLength: 254, example: 'dev@acme.test' }) email: string;
  @TextField({ maxLength: 256, example: 'correct-horse-battery-staple' }) password: string;

  @IdField({ optional: true, description: 'The workspace to sign in to; the last one used by default' })
  workspace?: string;

  @TextField({
    ...NEW_PASSWORD,
    optional: true,
    description: 'Replaces a password that someone else chose, only at the first sign-in',
    example: 'tidal-lantern-orbits-quietly',
  })
  newPassword?: string;
}

export class SwitchInput {
  @IdField({ description: 'Of the workspace' }) tenantId: string;

  @TextField({
    optional: true,
    maxLength: 256,
    description: "The person's password; required in a session opened by an identity provider",
  })
  password?: string;
}

export class PersonWorkspaceView {
  @IdField({ description: 'Of the workspace' }) tenantId: string;
  @TextField({ maxLength: 200 }) name: string;
  @ListField(field.text({ maxLength: 40 }), { example: ['member'] }) roles: string[];
  @BooleanField({ description: 'Whether the access token is for this workspace' }) current: boolean;
}

export class PersonWorkspacesView {
  @ListField(() => PersonWorkspaceView, { description: 'Sorted by name' }) data: PersonWorkspaceView[];

  @BooleanField({
    description:
      'Whether other workspaces may be missing because the session covers only its own; `POST` with the password lists them all',
  })
  partial: boolean;
}

export class WorkspacesInput {
  @TextField({ maxLength: 256, description: "The person's password", example: 'correct-horse-battery-staple' })
  password: string;
}

export class HandOverInput {
  @TextField({ maxLength: 512, optional: true, description: 'The refresh token of a sign-in, instead of the cookie' })
  refreshToken?: string;
}

export class PageSignInView {
  @TextField({ maxLength: 8192, optional: true }) accessToken?: string;
  @TextField({ maxLength: 6, optional: true }) tokenType?: string;

  @IntegerField({
    description: 'Lifetime of the access token, challenge, or enrolment token in seconds',
    example: 900,
  })
  expiresIn: number;

  @BooleanField({
    optional: true,
    description: 'Whether a code is required; the tokens are then absent',
    example: false,
  })
  mfaRequired?: boolean;

  @TextField({ maxLength: 100, optional: true }) challengeId?: string;

  @ListField(field.enum(['mail', 'authenticator', 'recovery_code', 'passkey']), {
    optional: true,
    description:
      'What completes the sign-in: the emailed code, a code from the authenticator app, or a recovery code; or, instead of the challenge, a passkey',
    example: ['authenticator', 'recovery_code'],
  })
  methods?: string[];

  @BooleanField({
    optional: true,
    description: 'Whether two-step verification has to be set up first; the tokens are then absent',
    example: false,
  })
  mfaEnrolmentRequired?: boolean;

  @TextField({ maxLength: 200, optional: true, description: 'Sets up an authenticator app, and nothing else' })
  enrolmentToken?: string;

  @BooleanField({
    optional: true,
    description:
      'Whether someone else chose the password; the tokens are then absent. Sign in again with a `newPassword`',
    example: false,
  })
  passwordChangeRequired?: boolean;
}

export class SignInView extends PageSignInView {
  @TextField({ maxLength: 512, optional: true }) refreshToken?: string;
}

/** 28 characters in groups of four. */
const RECOVERY_CODE_LENGTH = 34;

const CODE = {
  maxLength: RECOVERY_CODE_LENGTH,
  pattern: /^(\d{6}|[A-Za-z2-7]{4}([ -]?[A-Za-z2-7]{4}){6})$/,
};

export class CodeInput {
  @TextField({ maxLength: 100, description: '`challengeId` of the sign-in' }) challengeId: string;
  @TextField({ ...CODE, description: 'The code, or a recovery code', example: '123456' }) code: string;
}

export class EnrolmentInput {
  @TextField({ maxLength: 200, description: '`enrolmentToken` of the sign-in' }) enrolmentToken: string;
}

const DIGITS = { maxLength: 6, pattern: /^\d{6}$/, example: '123456' };

export class AuthenticatorCodeInput {
  @TextField({ ...DIGITS, description: 'The code shown by the authenticator app' }) code: string;
}

export class EnrolmentCodeInput extends EnrolmentInput {
  @TextField({ ...DIGITS, description: 'The code shown by the authenticator app' }) code: string;
}

export class AuthenticatorView {
  @TextField({
    maxLength: 64,
    description: 'Base32 key for manual entry. Shown once',
    example: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
  })
  secret: string;

  @TextField({ maxLength: 1024, description: 'The same as a URL for a QR code' }) otpauthUri: string;
}

const RECOVERY_CODES = {
  maxItems: 10,
  description: 'Each replaces one code from the authenticator app. Shown once',
  example: ['ABCD-EFGH-IJKL-MNOP-QRST-UVWX-YZ23'],
};

export class RecoveryCodesView {
  @ListField(field.text({ maxLength: RECOVERY_CODE_LENGTH }), RECOVERY_CODES) recoveryCodes: string[];
}

export class EnrolledView extends TokenPairView {
  @ListField(field.text({ maxLength: RECOVERY_CODE_LENGTH }), RECOVERY_CODES) recoveryCodes: string[];
}

export class StepUpInput {
  @TextField({ optional: true, maxLength: 256, description: 'For users without an authenticator app' })
  password?: string;

  @TextField({
    ...CODE,
    optional: true,
    description: 'A code from the authenticator app, or a recovery code',
    example: '123456',
  })
  code?: string;
}

export class UserStepUpInput extends StepUpInput {
  @TextField({
    optional: true,
    maxLength: 100,
    description: 'With email codes: `challengeId` from the response to the first call',
  })
  challengeId?: string;
}

export class ReauthenticationInput {
  @TextField({
    optional: true,
    maxLength: 100,
    description: 'With two-step verification on: `challengeId` from the response to the first call',
  })
  challengeId?: string;

  @TextField({
    ...DIGITS,
    optional: true,
    description: 'With two-step verification on: the code for the challenge',
  })
  code?: string;
}

/** Empty when nothing is missing. */
export class ReauthenticationView {
  @BooleanField({
    optional: true,
    description: 'Whether to repeat the call with `challengeId` and `code`; nothing has changed yet',
    example: false,
  })
  mfaRequired?: boolean;

  @TextField({ maxLength: 100, optional: true }) challengeId?: string;

  @IntegerField({ optional: true, description: 'Lifetime of the challenge in seconds', example: 600 })
  expiresIn?: number;
}

export const CURRENT_PASSWORD = {
  optional: true,
  maxLength: 256,
  description: 'The current password. Users without one re-authenticate instead (`STEP_UP_REQUIRED`)',
  example: 'correct-horse-battery-staple',
};

export class MfaInput {
  @BooleanField() enabled: boolean;
  @TextField(CURRENT_PASSWORD) password?: string;
}

export class MfaSettingsView {
  @BooleanField({ description: 'Whether two-step verification is on' }) enabled: boolean;

  @BooleanField({ description: 'Whether codes come from an authenticator app; otherwise they are sent by email' })
  authenticator: boolean;

  @IntegerField({ minimum: 0, example: 10 }) recoveryCodesLeft: number;
  @BooleanField({ description: 'Whether the workspace requires two-step verification' }) required: boolean;
}

/** What a workspace demands of the sign-ins of its users, as body and as answer. */
export class SignInPolicyInput {
  @EnumField(SECOND_FACTOR_POLICIES, {
    description: '`required`: users without two-step verification set up an authenticator app at their next sign-in',
    example: 'required',
  })
  secondFactor: SecondFactorPolicy;
}

export class SignInPolicyView extends SignInPolicyInput {}
