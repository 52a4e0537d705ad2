import type { ApiGroupDescription } from '@crm/http';

// Groups of the API documentation that controllers of several nouns belong to.

const group = (name: string, description: string): ApiGroupDescription => ({ name, description });

export const SIGN_IN_GROUP = group(
  'Sign-in',
  'Register a workspace, sign in, refresh tokens, and manage sessions. An access token is valid for 15 minutes.',
);
export const OPERATORS_SIGN_IN_GROUP = group(
  'Sign-in',
  'Sign-in for operators. Their tokens are accepted only at this address.',
);
export const USER_GROUP = group('Users', 'The people of a workspace, their roles, and their links to host users.');
export const WORKSPACE_GROUP = group(
  'Workspace',
  'The name, country, time zone, currency, and language of a workspace.',
);
export const AUDIT_GROUP = group('Audit trail', 'Who signed in and who changed what, for admins.');
export const PERSONAL_DATA_GROUP = group('Personal data', 'Export or delete what the platform stores about a person.');
export const SINGLE_SIGN_ON_GROUP = group(
  'Single sign-on',
  'Single sign-on (SSO): identity providers, verified domains, and signing in.',
);
export const API_KEY_GROUP = group('API keys', 'Personal API keys and service account keys.');
export const OAUTH_GROUP = group(
  'OAuth',
  'OAuth 2.1 for installed apps: client credentials for an installation, and authorization code with PKCE for a user. The token, revocation, and introspection endpoints take form data and return errors with `error` and `error_description` (RFC 6749).',
);
