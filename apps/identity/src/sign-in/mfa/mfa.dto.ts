import { BooleanField, TextField } from '@crm/http';

export class MfaInput {
  @BooleanField()
  enabled: boolean;

  @TextField({
    maxLength: 256,
    description: 'The password of the current user',
    example: 'correct-horse-battery-staple',
  })
  password: string;
}
