import { TextField } from '@crm/http';

export class EmbedCredentialsView {
  @TextField({ maxLength: 200, description: 'Value of `X-Embed-Key`' })
  clientId: string;

  @TextField({ maxLength: 200, description: 'Value of `X-Embed-Secret`; shown only once' })
  clientSecret: string;
}
