import { TextField } from '@crm/http';

export class VerificationInput {
  @TextField({
    maxLength: 200,
    description: 'The token from the link in the mail',
    example: 'b3BhcXVlLXRva2Vu',
  })
  token: string;
}
