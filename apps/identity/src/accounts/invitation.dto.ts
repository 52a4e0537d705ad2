import { TextField } from '@crm/http';
import { PASSWORD_LENGTH } from '../sign-in/password.service.js';

export class AcceptanceInput {
  @TextField({
    maxLength: 200,
    description: 'The token from the link in the invitation mail',
    example: 'b3BhcXVlLXRva2Vu',
  })
  token: string;

  @TextField({
    minLength: PASSWORD_LENGTH.min,
    maxLength: PASSWORD_LENGTH.max,
    example: 'correct-horse-battery-staple',
  })
  password: string;
}
