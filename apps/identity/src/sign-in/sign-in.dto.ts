import { BooleanField, EnumField, IntegerField, TextField } from '@crm/http';
import { SECOND_FACTOR_POLICIES, type SecondFactorPolicy } from './sign-in.entity.js';

/** Who changes an account proves again who they are. */
export class ReauthenticationInput {
  @TextField({
    optional: true,
    maxLength: 100,
    description: 'With the second factor on: `challengeId` of the answer to the first call',
  })
  challengeId?: string;

  @TextField({
    optional: true,
    maxLength: 6,
    pattern: /^\d{6}$/,
    description: 'With the second factor on: the code that answers the challenge',
    example: '123456',
  })
  code?: string;
}

/** What is missing before a change of the account is made; empty when nothing is. */
export class ReauthenticationView {
  @BooleanField({
    optional: true,
    description: 'Whether the call must be repeated with `challengeId` and `code`; nothing was changed then',
    example: false,
  })
  mfaRequired?: boolean;

  @TextField({ maxLength: 100, optional: true })
  challengeId?: string;

  @IntegerField({ optional: true, description: 'Lifetime of the challenge in seconds', example: 600 })
  expiresIn?: number;
}

export class MfaInput {
  @BooleanField()
  enabled: boolean;

  @TextField({
    optional: true,
    maxLength: 256,
    description: 'The password of the current user. One who has none needs a recent proof instead (`STEP_UP_REQUIRED`)',
    example: 'correct-horse-battery-staple',
  })
  password?: string;
}

/** The second factor of the current user. */
export class MfaSettingsView {
  @BooleanField({ description: 'Whether a sign-in asks for a second factor' })
  enabled: boolean;

  @BooleanField({ description: 'Whether it is a code of an authenticator; otherwise it is sent by e-mail' })
  authenticator: boolean;

  @IntegerField({ minimum: 0, example: 10 })
  recoveryCodesLeft: number;

  @BooleanField({ description: 'Whether the workspace requires a second factor' })
  required: boolean;
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
