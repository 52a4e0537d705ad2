import { BooleanField, field, IntegerField, ListField, TextField } from '@crm/http';
import { TokenPairView } from '../sessions/session.dto.js';

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
