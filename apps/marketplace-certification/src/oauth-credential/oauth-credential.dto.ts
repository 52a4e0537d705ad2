import { DateTimeField, field, IntegerField, ListField, ObjectField, TextField } from '@crm/http';

const CLIENT_ID = { maxLength: 200, example: 'app_8c1f0f4a8f0d4d0c9f5d1a7c2b9e6f30' };

export class OAuthCredentialsInput {
  @IntegerField({
    optional: true,
    minimum: 0,
    maximum: 168,
    description: 'Hours for which the previous secret stays valid, 24 by default; 0 ends it at once',
    example: 24,
  })
  overlapHours?: number;
}

export class OAuthCredentialsView {
  @TextField(CLIENT_ID)
  clientId: string;

  @TextField({ maxLength: 200, description: 'Shown this once' })
  clientSecret: string;

  @DateTimeField({ nullable: true, description: 'Until when the previous secret works; null when there is none' })
  previousSecretValidUntil: string | null;
}

export class OAuthSecretView {
  @DateTimeField()
  createdAt: string;

  @DateTimeField({ nullable: true, description: 'When a token was last issued for it, to five minutes' })
  lastUsedAt: string | null;
}

export class PreviousOAuthSecretView extends OAuthSecretView {
  @DateTimeField({ description: 'When it stops working' })
  validUntil: string;
}

/** The credentials of an installation without its secrets. */
export class OAuthCredentialsSummaryView {
  @TextField(CLIENT_ID)
  clientId: string;

  @ListField(field.text({ maxLength: 64 }), { example: ['leads:read'] })
  scopes: string[];

  @ObjectField(() => OAuthSecretView)
  secret: OAuthSecretView;

  @ObjectField(() => PreviousOAuthSecretView, { nullable: true })
  previousSecret: PreviousOAuthSecretView | null;
}
