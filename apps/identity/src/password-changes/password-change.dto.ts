import { BooleanField, EmailField, IntegerField, TextField } from '@crm/http';
import { MAILED_TOKEN } from '../mailed-token.js';
import { NEW_PASSWORD, PASSWORD_LENGTH } from '../passwords/password-policy.js';
import { ReauthenticationInput } from '../second-factor/second-factor.dto.js';

export class PasswordChangeInput extends ReauthenticationInput {
  @TextField({
    maxLength: PASSWORD_LENGTH.max,
    description: 'The current password',
    example: 'correct-horse-battery-staple',
  })
  currentPassword: string;

  @TextField({ ...NEW_PASSWORD, example: 'tidal-lantern-orbits-quietly' }) newPassword: string;
}

export class PasswordResetInput {
  @EmailField({ example: 'dev@acme.test' }) email: string;
}

/** The same for every address. */
export class PasswordResetView {
  @BooleanField({ description: 'Always true, whether or not the address has an account' }) accepted: boolean;
}

export class PasswordResetCompletionInput {
  @TextField(MAILED_TOKEN) token: string;
  @TextField({ ...NEW_PASSWORD, description: 'The new password' }) password: string;

  @BooleanField({
    optional: true,
    description:
      "Whether to remove the account's passkeys, which sign in without the password; `false` by default. A call with this member gets the number of passkeys in the response",
  })
  removePasskeys?: boolean;
}

export class PasswordResetCompletionView {
  @IntegerField({ minimum: 0, description: 'Passkeys that still sign in to the account', example: 0 }) passkeys: number;
  @IntegerField({ minimum: 0, description: 'Passkeys that were removed', example: 2 }) passkeysRemoved: number;
}
