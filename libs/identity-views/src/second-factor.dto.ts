import { field, ListField, TextField } from '@crm/http';
import { TokenPairView } from './sign-in.dto.js';

/** Of a recovery code as it is shown: 28 characters in groups of four. Those of earlier versions have 24 or 16. */
const RECOVERY_CODE_LENGTH = 34;

/** Six digits, or a recovery code, with the groups together or apart. */
const CODE = {
  maxLength: RECOVERY_CODE_LENGTH,
  pattern: /^(\d{6}|[A-Za-z2-7]{4}([ -]?[A-Za-z2-7]{4}){3}(([ -]?[A-Za-z2-7]{4}){2,3})?)$/,
};

export class CodeInput {
  @TextField({ maxLength: 100, description: '`challengeId` of the sign-in' })
  challengeId: string;

  @TextField({ ...CODE, description: 'The code, or a recovery code in its place', example: '123456' })
  code: string;
}

export class EnrolmentInput {
  @TextField({ maxLength: 200, description: '`enrolmentToken` of the sign-in' })
  enrolmentToken: string;
}

export class AuthenticatorCodeInput {
  @TextField({
    maxLength: 6,
    pattern: /^\d{6}$/,
    description: 'The code that the authenticator shows',
    example: '123456',
  })
  code: string;
}

export class EnrolmentCodeInput extends EnrolmentInput {
  @TextField({
    maxLength: 6,
    pattern: /^\d{6}$/,
    description: 'The code that the authenticator shows',
    example: '123456',
  })
  code: string;
}

/** What an authenticator app is set up with. */
export class AuthenticatorView {
  @TextField({
    maxLength: 64,
    description: 'Base32, to be typed in; shown this once',
    example: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
  })
  secret: string;

  @TextField({ maxLength: 1024, description: 'The same for a QR code' })
  otpauthUri: string;
}

const RECOVERY_CODES = {
  maxItems: 10,
  description: 'Each replaces a code of the authenticator once; shown this once',
  example: ['ABCD-EFGH-IJKL-MNOP-QRST-UVWX-YZ23'],
};

export class RecoveryCodesView {
  @ListField(field.text({ maxLength: RECOVERY_CODE_LENGTH }), RECOVERY_CODES)
  recoveryCodes: string[];
}

/** The tokens of the sign-in that an enrolment completes. */
export class EnrolledView extends TokenPairView {
  @ListField(field.text({ maxLength: RECOVERY_CODE_LENGTH }), RECOVERY_CODES)
  recoveryCodes: string[];
}

export class StepUpInput {
  @TextField({ optional: true, maxLength: 256, description: 'Of a user without an authenticator' })
  password?: string;

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
