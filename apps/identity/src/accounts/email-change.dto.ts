import { EmailField, TextField } from '@crm/http';
import { PASSWORD_LENGTH } from '../sign-in/password.service.js';
import { ReauthenticationInput } from '../sign-in/reauthentication.dto.js';

export class EmailChangeInput extends ReauthenticationInput {
  @EmailField({ description: 'The new address', example: 'ada@acme.test' })
  email: string;

  @TextField({
    optional: true,
    maxLength: PASSWORD_LENGTH.max,
    description: 'The password of the current user. One who has none needs a recent proof instead (`STEP_UP_REQUIRED`)',
    example: 'correct-horse-battery-staple',
  })
  password?: string;
}

export class EmailChangeTokenInput {
  @TextField({
    maxLength: 200,
    description: 'The token from the link in the mail',
    example: 'b3BhcXVlLXRva2Vu',
  })
  token: string;
}
