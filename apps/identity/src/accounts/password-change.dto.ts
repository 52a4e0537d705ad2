import { TextField } from '@crm/http';
import { PASSWORD_LENGTH } from '../sign-in/password.service.js';
import { ReauthenticationInput } from '../sign-in/reauthentication.dto.js';

export class PasswordChangeInput extends ReauthenticationInput {
  @TextField({
    maxLength: PASSWORD_LENGTH.max,
    description: 'The present password of the current user',
    example: 'correct-horse-battery-staple',
  })
  currentPassword: string;

  @TextField({
    minLength: PASSWORD_LENGTH.min,
    maxLength: PASSWORD_LENGTH.max,
    example: 'tidal-lantern-orbits-quietly',
  })
  newPassword: string;
}
