import { OPERATOR_ROLES, type OperatorRole } from '@crm/contracts';
import { EmailField, EnumField, IdField, TextField } from '@crm/http';
import { PASSWORD_LENGTH } from '../sign-in/password.service.js';

/** A new operator, as given to the program that creates one. */
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

  @EnumField(OPERATOR_ROLES)
  role: OperatorRole;

  @IdField({ optional: true, description: 'The workspace whose submissions the operator never decides on' })
  workspace?: string;
}
