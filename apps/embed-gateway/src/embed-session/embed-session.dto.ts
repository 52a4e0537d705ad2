import { EmailField, field, IntegerField, ListField, TextField } from '@crm/http';

export class EmbedSessionInput {
  @TextField({ maxLength: 255, description: "The host's own id of the user" })
  sub: string;

  @EmailField()
  email: string;

  @TextField({ maxLength: 200, description: 'Display name' })
  name: string;

  @ListField(field.text({ maxLength: 64 }), {
    optional: true,
    description: 'All that the app was granted when left out',
    example: ['leads', 'pipeline'],
  })
  scopes?: string[];
}

export class EmbedSessionView {
  @TextField({ maxLength: 8192, description: 'Access token for the browser' })
  embed_token: string;

  @IntegerField({ description: 'Seconds', example: 900 })
  expires_in: number;
}
