import { EmailField, TextField } from '@crm/http';
import { MAILED_TOKEN } from '../mailed-token.js';
import { CURRENT_PASSWORD, ReauthenticationInput } from '../second-factor/second-factor.dto.js';

export class EmailChangeInput extends ReauthenticationInput {
  @EmailField({ description: 'The new address', example: 'ada@acme.test' }) email: string;
  @TextField(CURRENT_PASSWORD) password?: string;
}

export class EmailChangeTokenInput {
  @TextField(MAILED_TOKEN) token: string;
}
