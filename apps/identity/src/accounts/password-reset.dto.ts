import { BooleanField, EmailField, TextField } from '@crm/http';
import { PASSWORD_LENGTH } from '../sign-in/password.service.js';

export class PasswordResetInput {
  @EmailField({ example: 'dev@acme.test' })
  email: string;
}

/** The same for every address. */
export class PasswordResetView {
  @BooleanField({ description: 'Always true: it says nothing about the address' })
  accepted: boolean;
}

export class PasswordResetCompletionInput {
  @TextField({
    maxLength: 200,
    description: 'The token from the link in the mail',
    example: 'b3BhcXVlLXRva2Vu',
  })
  token: string;

  @TextField({
    minLength: PASSWORD_LENGTH.min,
    maxLength: PASSWORD_LENGTH.max,
    description: 'The new password',
    example: 'correct-horse-battery-staple',
  })
  password: string;
}
