import { BooleanField, IntegerField, TextField } from '@crm/http';

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
