import { BooleanField, EnumField, IdField, IntegerField, TextField } from '@crm/http';

const GRANT_TYPES = ['client_credentials', 'authorization_code', 'refresh_token'] as const;

/** The form of a token call, for the API document: forms are read parameter by parameter. */
export class TokenForm {
  @EnumField(GRANT_TYPES) grant_type: string;

  @TextField({
    optional: true,
    maxLength: 200,
    description: 'Of an installation, unless HTTP Basic names it; or the key of the app that acts for a user',
    example: 'app_8c1f0f4a8f0d4d0c9f5d1a7c2b9e6f30',
  })
  client_id?: string;

  @TextField({ optional: true, maxLength: 200, description: 'Of an installation, unless HTTP Basic carries it' })
  client_secret?: string;

  @TextField({
    optional: true,
    maxLength: 1000,
    description: 'Separated by spaces; all that are granted when it is left out',
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
    description: 'What the token may do, which can be less than was asked for',
    example: 'leads:read tasks',
  })
  scope: string;

  @TextField({ optional: true, maxLength: 200, description: 'For an app that acts for a user; works once' })
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
    description: 'False for a token that is not valid and for one of another client; nothing else follows',
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
  @TextField({ maxLength: 500, example: 'What was presented is not valid, or not any more' }) error_description: string;
}
