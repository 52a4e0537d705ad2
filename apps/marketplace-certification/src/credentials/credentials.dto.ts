import { BooleanField, DateTimeField, field, IntegerField, ListField, ObjectField, TextField } from '@crm/http';

export class EmbedCredentialsInput {
  @IntegerField({
    optional: true,
    minimum: 0,
    maximum: 168,
    description: 'Hours the previous secret stays valid; 24 by default, 0 revokes it immediately',
    example: 24,
  })
  overlapHours?: number;

  @ListField(field.text({ maxLength: 50, pattern: /^http:\/\/localhost(:\d{1,5})?$/ }), {
    optional: true,
    maxItems: 10,
    unique: true,
    description: 'Localhost origins that can also frame the embed page, until a version of the app is reviewed',
    example: ['http://localhost:3000'],
  })
  developmentOrigins?: string[];
}

export class EmbedCredentialsView {
  @TextField({ maxLength: 200, description: '`X-Embed-Key`' }) clientId: string;
  @TextField({ maxLength: 200, description: '`X-Embed-Secret`. Shown once' }) clientSecret: string;

  @DateTimeField({ nullable: true, description: 'When the previous secret stops working; null if there is none' })
  previousSecretValidUntil: string | null;
}

export class EmbedSecretView {
  @DateTimeField() createdAt: string;

  @DateTimeField({ nullable: true, description: 'When it last minted a token, accurate to 5 minutes' })
  lastUsedAt: string | null;
}

export class PreviousEmbedSecretView extends EmbedSecretView {
  @DateTimeField({ description: 'When it stops working' }) validUntil: string;
}

export class EmbedCredentialsSummaryView {
  @TextField({ maxLength: 200 }) clientId: string;
  @ListField(field.text({ maxLength: 2048 }), { example: ['https://host.example'] }) allowedOrigins: string[];
  @ListField(field.text({ maxLength: 50 }), { example: ['http://localhost:3000'] }) developmentOrigins: string[];
  @ListField(field.text({ maxLength: 64 }), { example: ['leads'] }) scopes: string[];
  @BooleanField({ description: 'Whether a version of the app has been reviewed' }) reviewed: boolean;
  @ObjectField(() => EmbedSecretView) secret: EmbedSecretView;
  @ObjectField(() => PreviousEmbedSecretView, { nullable: true }) previousSecret: PreviousEmbedSecretView | null;
}

export class WebhookSecretView {
  @TextField({ maxLength: 100, description: 'Shown once', example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' })
  secret: string;
}
