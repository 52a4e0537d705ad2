import { EmailField, field, IntegerField, ListField, TextField } from '@crm/http';

export class EmbedSessionInput {
  @TextField({ maxLength: 255, description: "The host's ID of the user", example: 'host-user-1' }) sub: string;
  @EmailField() email: string;
  @TextField({ maxLength: 200, description: 'Display name', example: 'Ada Lovelace' }) name: string;

  @ListField(field.text({ maxLength: 64 }), {
    optional: true,
    minItems: 1,
    description: 'All scopes granted to the app by default',
    example: ['leads', 'pipeline'],
  })
  scopes?: string[];
}

export class EmbedSessionView {
  @TextField({ maxLength: 8192, description: 'Access token for the browser' }) embed_token: string;
  @IntegerField({ description: 'Lifetime in seconds', example: 900 }) expires_in: number;
}
