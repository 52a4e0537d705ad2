import { defineErrors } from './define.js';

/** Authentication and authorisation. */
export const ACCESS_ERRORS = defineErrors({
  UNAUTHENTICATED: [401, 'A valid access token is required'],
  TOKEN_EXPIRED: [401, 'The access token has expired'],
  TOKEN_REVOKED: [401, 'The access token has been revoked'],
  INVALID_CREDENTIALS: [401, 'E-mail or password is wrong'],
  INVALID_REFRESH_TOKEN: [401, 'The refresh token is not valid'],
  FORBIDDEN: [403, 'The role does not allow this'],
  INSUFFICIENT_SCOPE: [403, 'The token lacks the scope for this'],
  EMBED_TOKEN_REFUSED: [403, 'An embed token cannot do this'],
  ROLE_NOT_GRANTABLE: [403, 'Nobody grants a role above their own'],
  PLAN_NOT_ALLOWED: [403, 'The plan can only be set by an operator'],
  EMAIL_TAKEN: [409, 'The e-mail address has an account already'],
  INVALID_EMBED_CREDENTIALS: [401, 'The embed credentials are not valid'],
  EMBED_IDENTITY_CONFLICT: [409, 'The identity belongs to another workspace'],
  EMBED_USER_DISABLED: [403, 'The embedded user is disabled'],
  EMBED_SCOPE_DENIED: [403, 'The app was not granted a scope that was asked for'],
  STEP_UP_REQUIRED: [403, 'The password or the second factor must be proven again'],
  INVALID_API_KEY: [401, 'The API key is not valid'],
  API_KEY_REFUSED: [403, 'An API key cannot do this; a person who has signed in can'],
  SCOPE_NOT_GRANTABLE: [403, 'The role does not allow the scope'],
  SCOPE_NOT_OFFERED: [422, 'A scope is not among those to choose from'],
  WORKSPACE_SUSPENDED: [403, 'The workspace is suspended'],
  API_KEY_LIMIT_EXCEEDED: [409, 'There are as many API keys or service accounts as are allowed'],
});
