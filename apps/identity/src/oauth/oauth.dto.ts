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

  @TextField({ maxLength: 200, description: "The app's publisher", example: 'Acme' })
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
  @DateTimeField({ description: 'When it expires unless the app uses it' }) expiresAt: string;
}

export class GrantInput {
  @ListField(field.text({ maxLength: 64 }), {
    minItems: 1,
    maxItems: 50,
    description: 'The scopes to keep, including all of `requiredScopes`',
    example: ['leads:read'],
  })
  scopes: string[];
}

/** An app that acts for the current user, and what they can take from it. */
export class OwnGrantView extends GrantView {
  @ListField(field.text({ maxLength: 64 }), {
    description: 'The scopes the app requires. To remove them, disconnect the app',
    example: ['leads:read'],
  })
  requiredScopes: string[];
}

export class RequestedScopeView {
  @TextField({ maxLength: 64, example: 'leads' }) name: string;
  @TextField({ maxLength: 200, example: 'View, create, edit, and delete leads' }) description: string;
  @BooleanField() writes: boolean;

  @BooleanField({ description: "Whether the app requires the scope, so that it can't be left out" })
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
    description: 'Seconds after which it expires even if the app uses it',
    example: 7776000,
  })
  maxSeconds: number;

  @IntegerField({ minimum: 1, description: 'Seconds without use after which it expires', example: 1209600 })
  idleSeconds: number;
}

/** What an app asks the current user for. */
export class ConsentView {
  @TextField({ maxLength: 64, example: 'pX2bC0Jq7cJmJmVYpB4H2m0a9H7l8o4lq1oZr2v5WmE' }) id: string;
  @ObjectField(() => ClientAppView) app: ClientAppView;
  @ObjectField(() => ConsentTenantView) tenant: ConsentTenantView;
  @ListField(() => RequestedScopeView) scopes: RequestedScopeView[];
  @ObjectField(() => AccessPeriodView) accessPeriod: AccessPeriodView;

  @TextField({ maxLength: 260, description: 'Host that the browser is redirected to', example: 'app.acme.example.com' })
  redirectHost: string;

  @DateTimeField({ description: 'When the request expires' }) expiresAt: string;
}

export const DECISIONS = ['approve', 'deny'] as const;

export class DecisionInput {
  @EnumField(DECISIONS) decision: (typeof DECISIONS)[number];

  @ListField(field.text({ maxLength: 64 }), {
    optional: true,
    minItems: 1,
    maxItems: 50,
    description: 'For an approval: the scopes to grant, including all `required` ones; all requested scopes by default',
    example: ['leads:read'],
  })
  scopes?: string[];
}

export class DecisionView {
  @TextField({
    maxLength: 8192,
    description: 'Where to send the browser',
    example: 'https://app.acme.example.com/callback?code=AbC&state=xyz&iss=https%3A%2F%2Fcrm.example.com',
  })
  redirectTo: string;
}

const GRANT_TYPES = ['client_credentials', 'authorization_code', 'refresh_token'] as const;

/** The form of a token call, for the API document: forms are read parameter by parameter. */
export class TokenForm {
  @EnumField(GRANT_TYPES) grant_type: string;

  @TextField({
    optional: true,
    maxLength: 200,
    description:
      "The installation's client ID, unless sent with HTTP Basic; or the key of the app that acts for a user",
    example: 'app_8c1f0f4a8f0d4d0c9f5d1a7c2b9e6f30',
  })
  client_id?: string;

  @TextField({
    optional: true,
    maxLength: 200,
    description: "The installation's client secret, unless sent with HTTP Basic",
  })
  client_secret?: string;

  @TextField({
    optional: true,
    maxLength: 1000,
    description: 'Separated by spaces; all granted scopes by default',
    example: 'leads:read tasks',
  })
  scope?: string;

  @TextField({ optional: true, maxLength: 200, description: 'For `authorization_code`' }) code?: string;

  @TextField({
    optional: true,
    maxLength: 2048,
    description: 'For `authorization_code`: the same as in the request',
    example: 'https://app.acme.example.com/callback',
  })
  redirect_uri?: string;

  @TextField({ optional: true, maxLength: 128, description: 'For `authorization_code` (RFC 7636)' })
  code_verifier?: string;

  @TextField({ optional: true, maxLength: 200, description: 'For `refresh_token`' }) refresh_token?: string;

  @IdField({ optional: true, description: 'The installation that the code or the refresh token must belong to' })
  installation_id?: string;
}

/** An answer of the token endpoint (RFC 6749, section 5.1); `installation_id` and `tenant_id` say where the token is valid. */
export class TokenAnswerView {
  @TextField({ maxLength: 4096, example: 'eyJhbGciOiJFZERTQSIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiIuLi4ifQ.c2lnbmF0dXJl' })
  access_token: string;

  @TextField({ maxLength: 10, example: 'Bearer' }) token_type: string;
  @IntegerField({ description: 'Seconds', example: 900 }) expires_in: number;

  @TextField({
    maxLength: 1000,
    description: 'The scopes of the token, which can be fewer than requested',
    example: 'leads:read tasks',
  })
  scope: string;

  @TextField({ optional: true, maxLength: 200, description: 'For an app that acts for a user. Works once' })
  refresh_token?: string;

  @IdField() installation_id: string;
  @IdField() tenant_id: string;
}

/** The form of a call about a token. */
export class AboutTokenForm {
  @TextField({ maxLength: 4096, description: 'An access token or a refresh token' }) token: string;
  @TextField({ optional: true, maxLength: 200, example: 'app_8c1f0f4a8f0d4d0c9f5d1a7c2b9e6f30' }) client_id?: string;
  @TextField({ optional: true, maxLength: 200 }) client_secret?: string;
}

export class IntrospectionView {
  @BooleanField({
    description: 'False for an invalid token and for one of another client, with no other members',
  })
  active: boolean;

  @TextField({ optional: true, maxLength: 10, example: 'Bearer' }) token_type?: string;
  @TextField({ optional: true, maxLength: 200, example: 'acme-site-visits' }) client_id?: string;
  @TextField({ optional: true, maxLength: 64, description: 'The user, or the installation' }) sub?: string;
  @TextField({ optional: true, maxLength: 1000, example: 'leads:read' }) scope?: string;
  @IntegerField({ optional: true, description: 'Unix time in seconds', example: 1795300000 }) exp?: number;
  @IdField({ optional: true }) installation_id?: string;
  @IdField({ optional: true }) tenant_id?: string;
}

export class OAuthErrorView {
  @TextField({ maxLength: 40, example: 'invalid_grant' }) error: string;
  @TextField({ maxLength: 500, example: "The code or token isn't valid or has expired" }) error_description: string;
}
