import { EmailField, TextField } from '@crm/http';
import { PASSWORD_LENGTH } from '../accounts/password/password.service.js';

/** A new operator, as given to the program that adds one. */
export class OperatorInput {
  @EmailField({ example: 'operator@platform.test' })
  email: string;

  @TextField({ maxLength: 200, pattern: /\S/, example: 'Ada Lovelace' })
  name: string;

  @TextField({
    minLength: PASSWORD_LENGTH.min,
    maxLength: PASSWORD_LENGTH.max,
    example: 'correct-horse-battery-staple',
  })
  password: string;
}
