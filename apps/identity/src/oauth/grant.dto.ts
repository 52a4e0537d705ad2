import { DateTimeField, field, IdField, ListField, ObjectField, TextField } from '@crm/http';

/** An app as users are shown it. */
export class ClientAppView {
  @TextField({ maxLength: 64, example: 'acme-site-visits' })
  key: string;

  @TextField({ maxLength: 200, example: 'Acme Site Visits' })
  name: string;

  @TextField({ maxLength: 200, description: 'The workspace that publishes the app', example: 'Acme' })
  publisher: string;
}

/** An app that acts for the current user. */
export class GrantView {
  @IdField()
  id: string;

  @ObjectField(() => ClientAppView)
  app: ClientAppView;

  @IdField()
  installationId: string;

  @ListField(field.text({ maxLength: 64 }), { example: ['leads:read'] })
  scopes: string[];

  @DateTimeField()
  createdAt: string;

  @DateTimeField({ description: 'When the app last asked for a token' })
  lastUsedAt: string;

  @DateTimeField({ description: 'When it ends unless the app uses it before' })
  expiresAt: string;
}
