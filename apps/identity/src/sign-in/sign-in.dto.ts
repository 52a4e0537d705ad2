import { BooleanField, EnumField, field, IdField, IntegerField, ListField, TextField } from '@crm/http';
import { TokenPairView } from '../sessions/session.dto.js';
import { NEW_PASSWORD } from './password.service.js';
import { SECOND_FACTOR_POLICIES, type SecondFactorPolicy } from './sign-in.entity.js';

/** Only limits: a sign-in with a value that no account can have fails like any other. */
export class SignInInput {
  @TextField({ maxLength: 254, example: 'dev@acme.test' }) email: string;
  @TextField({ maxLength: 256, example: 'correct-horse-battery-staple' }) password: string;

  @IdField({ optional: true, description: 'The workspace to sign in to; without it the one that was used last' })
  workspace?: string;

  @TextField({
    ...NEW_PASSWORD,
    optional: true,
    description: 'Takes the place of a password that somebody else chose, at the first sign-in alone',
    example: 'tidal-lantern-orbits-quietly',
  })
  newPassword?: string;
}

export class SwitchInput {
  @IdField({ description: 'Of the workspace' }) tenantId: string;

  @TextField({
    optional: true,
    maxLength: 256,
    description: 'The password of the person; required in a session that a provider has opened',
  })
  password?: string;
}

export class PersonWorkspaceView {
  @IdField({ description: 'Of the workspace' }) tenantId: string;
  @TextField({ maxLength: 200 }) name: string;
  @ListField(field.text({ maxLength: 40 }), { example: ['member'] }) roles: string[];
  @BooleanField({ description: 'Whether the access token is one of this workspace' }) current: boolean;
}

export class PersonWorkspacesView {
  @ListField(() => PersonWorkspaceView, { description: 'By their names' }) data: PersonWorkspaceView[];

  @BooleanField({
    description:
      'Whether the session does not speak for the person, so that other workspaces are left out, if there are any: `POST` with the password lists them',
  })
  partial: boolean;
}

export class WorkspacesInput {
  @TextField({ maxLength: 256, description: 'The password of the person', example: 'correct-horse-battery-staple' })
  password: string;
}

export class HandOverInput {
  @TextField({ maxLength: 512, optional: true, description: 'Of a sign-in, in place of the cookie' })
  refreshToken?: string;
}

export class PageSignInView {
  @TextField({ maxLength: 8192, optional: true }) accessToken?: string;
  @TextField({ maxLength: 6, optional: true }) tokenType?: string;

  @IntegerField({
    description: 'Lifetime of the access token, the challenge or the enrolment, in seconds',
    example: 900,
  })
  expiresIn: number;

  @BooleanField({
    optional: true,
    description: 'Whether a code is awaited; the tokens are absent then',
    example: false,
  })
  mfaRequired?: boolean;

  @TextField({ maxLength: 100, optional: true }) challengeId?: string;

  @ListField(field.enum(['mail', 'authenticator', 'recovery_code', 'passkey']), {
    optional: true,
    description:
      'What completes the sign-in: the code sent by e-mail, one of the authenticator or a recovery code; or, in place of the challenge, a passkey',
    example: ['authenticator', 'recovery_code'],
  })
  methods?: string[];

  @BooleanField({
    optional: true,
    description: 'Whether a second factor is required and has to be set up first; the tokens are absent then',
    example: false,
  })
  mfaEnrolmentRequired?: boolean;

  @TextField({ maxLength: 200, optional: true, description: 'Sets up an authenticator, and nothing else' })
  enrolmentToken?: string;

  @BooleanField({
    optional: true,
    description:
      'Whether somebody else chose the password: the tokens are absent, and the sign-in is repeated with a `newPassword`',
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
  @TextField({ ...CODE, description: 'The code, or a recovery code in its place', example: '123456' }) code: string;
}

export class EnrolmentInput {
  @TextField({ maxLength: 200, description: '`enrolmentToken` of the sign-in' }) enrolmentToken: string;
}

const DIGITS = { maxLength: 6, pattern: /^\d{6}$/, example: '123456' };

export class AuthenticatorCodeInput {
  @TextField({ ...DIGITS, description: 'The code that the authenticator shows' }) code: string;
}

export class EnrolmentCodeInput extends EnrolmentInput {
  @TextField({ ...DIGITS, description: 'The code that the authenticator shows' }) code: string;
}

export class AuthenticatorView {
  @TextField({
    maxLength: 64,
    description: 'Base32, to be typed in; shown this once',
    example: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
  })
  secret: string;

  @TextField({ maxLength: 1024, description: 'The same for a QR code' }) otpauthUri: string;
}

const RECOVERY_CODES = {
  maxItems: 10,
  description: 'Each replaces a code of the authenticator once; shown this once',
  example: ['ABCD-EFGH-IJKL-MNOP-QRST-UVWX-YZ23'],
};

export class RecoveryCodesView {
  @ListField(field.text({ maxLength: RECOVERY_CODE_LENGTH }), RECOVERY_CODES) recoveryCodes: string[];
}

export class EnrolledView extends TokenPairView {
  @ListField(field.text({ maxLength: RECOVERY_CODE_LENGTH }), RECOVERY_CODES) recoveryCodes: string[];
}

export class StepUpInput {
  @TextField({ optional: true, maxLength: 256, description: 'Of a user without an authenticator' }) password?: string;

  @TextField({ ...CODE, optional: true, description: 'Of the authenticator, or a recovery code', example: '123456' })
  code?: string;
}

export class UserStepUpInput extends StepUpInput {
  @TextField({
    optional: true,
    maxLength: 100,
    description: 'Where the second factor is a code by e-mail: `challengeId` of the answer to the first call',
  })
  challengeId?: string;
}

export class ReauthenticationInput {
  @TextField({
    optional: true,
    maxLength: 100,
    description: 'With the second factor on: `challengeId` of the answer to the first call',
  })
  challengeId?: string;

  @TextField({
    ...DIGITS,
    optional: true,
    description: 'With the second factor on: the code that answers the challenge',
  })
  code?: string;
}

/** Empty when nothing is missing. */
export class ReauthenticationView {
  @BooleanField({
    optional: true,
    description: 'Whether the call must be repeated with `challengeId` and `code`; nothing was changed then',
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
  description: 'The password of the current user. One who has none needs a recent proof instead (`STEP_UP_REQUIRED`)',
  example: 'correct-horse-battery-staple',
};

export class MfaInput {
  @BooleanField() enabled: boolean;
  @TextField(CURRENT_PASSWORD) password?: string;
}

export class MfaSettingsView {
  @BooleanField({ description: 'Whether a sign-in asks for a second factor' }) enabled: boolean;

  @BooleanField({ description: 'Whether it is a code of an authenticator; otherwise it is sent by e-mail' })
  authenticator: boolean;

  @IntegerField({ minimum: 0, example: 10 }) recoveryCodesLeft: number;
  @BooleanField({ description: 'Whether the workspace requires a second factor' }) required: boolean;
}

/** What a workspace demands of the sign-ins of its users, as body and as answer. */
export class SignInPolicyInput {
  @EnumField(SECOND_FACTOR_POLICIES, {
    description: '`required`: a user without a second factor sets up an authenticator at their next sign-in',
    example: 'required',
  })
  secondFactor: SecondFactorPolicy;
}

export class SignInPolicyView extends SignInPolicyInput {}
