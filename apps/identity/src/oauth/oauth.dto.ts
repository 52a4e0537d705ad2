import {
  BooleanField,
  DateTimeField,
  EnumField,
  field,
  IdField,
  IntegerField,
  ListField,
  ObjectField,
  TextField,
} from '@crm/http';

/** An app as users are shown it. */
export class ClientAppView {
  @TextField({ maxLength: 64, example: 'acme-site-visits' }) key: string;
  @TextField({ maxLength: 200, example: 'Acme Site Visits' }) name: string;

  @TextField({ maxLength: 200, description: 'The workspace that publishes the app', example: 'Acme' })
  publisher: string;
}

/** An app that acts for the current user. */
export class GrantView {
  @IdField() id: string;
  @ObjectField(() => ClientAppView) app: ClientAppView;
  @IdField() installationId: string;
  @ListField(field.text({ maxLength: 64 }), { example: ['leads:read'] }) scopes: string[];
  @DateTimeField() createdAt: string;
  @DateTimeField({ description: 'When the app last asked for a token' }) lastUsedAt: string;
  @DateTimeField({ description: 'When it ends unless the app uses it before' }) expiresAt: string;
}

export class GrantInput {
  @ListField(field.text({ maxLength: 64 }), {
    minItems: 1,
    maxItems: 50,
    description: 'What the app keeps, of `scopes`; those of `requiredScopes` are among them',
    example: ['leads:read'],
  })
  scopes: string[];
}

/** An app that acts for the current user, and what they can take from it. */
export class OwnGrantView extends GrantView {
  @ListField(field.text({ maxLength: 64 }), {
    description: 'Those of the scopes that the app cannot work without: they go when what it may do is ended',
    example: ['leads:read'],
  })
  requiredScopes: string[];
}

export class RequestedScopeView {
  @TextField({ maxLength: 64, example: 'leads' }) name: string;
  @TextField({ maxLength: 200, example: 'See and change leads' }) description: string;
  @BooleanField() writes: boolean;

  @BooleanField({ description: 'Whether the app cannot work without it, so that it cannot be left out' })
  required: boolean;
}

export class ConsentTenantView {
  @IdField() id: string;
  @TextField({ maxLength: 200, example: 'Globex' }) name: string;
}

/** For how long an app acts for the user, unless the user or the workspace ends it before. */
export class AccessPeriodView {
  @IntegerField({
    minimum: 1,
    description: 'Seconds after which it ends, however often the app uses it',
    example: 7776000,
  })
  maxSeconds: number;

  @IntegerField({ minimum: 1, description: 'Seconds without use after which it ends', example: 1209600 })
  idleSeconds: number;
}

/** What an app asks the current user for. */
export class ConsentView {
  @TextField({ maxLength: 64, example: 'pX2bC0Jq7cJmJmVYpB4H2m0a9H7l8o4lq1oZr2v5WmE' }) id: string;
  @ObjectField(() => ClientAppView) app: ClientAppView;
  @ObjectField(() => ConsentTenantView) tenant: ConsentTenantView;
  @ListField(() => RequestedScopeView) scopes: RequestedScopeView[];
  @ObjectField(() => AccessPeriodView) accessPeriod: AccessPeriodView;

  @TextField({ maxLength: 260, description: 'Host that the browser is sent to', example: 'app.acme.example.com' })
  redirectHost: string;

  @DateTimeField({ description: 'Until when it can be decided on' }) expiresAt: string;
}

export const DECISIONS = ['approve', 'deny'] as const;

export class DecisionInput {
  @EnumField(DECISIONS) decision: (typeof DECISIONS)[number];

  @ListField(field.text({ maxLength: 64 }), {
    optional: true,
    minItems: 1,
    maxItems: 50,
    description:
      'Of an approval: what the app is given, of the scopes of the request; those that are `required` are among them. All of them when it is left out',
    example: ['leads:read'],
  })
  scopes?: string[];
}

export class DecisionView {
  @TextField({
    maxLength: 8192,
    description: 'Where the browser is sent',
    example: 'https://app.acme.example.com/callback?code=AbC&state=xyz&iss=https%3A%2F%2Fcrm.example.com',
  })
  redirectTo: string;
}
