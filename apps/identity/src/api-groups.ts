import type { ApiGroupDescription } from '@crm/http';

// Groups of the API documentation that controllers of several nouns belong to.

const group = (name: string, description: string): ApiGroupDescription => ({ name, description });

export const SIGN_IN_GROUP = group(
  'Sign-in',
  'Registering a workspace, signing in, refreshing tokens and managing sessions. An access token lives 15 minutes.',
);
export const OPERATORS_SIGN_IN_GROUP = group(
  'Sign-in',
  'Operators sign in here; their tokens are accepted at this address only.',
);
export const USER_GROUP = group(
  'Users',
  'The people of a workspace, their roles and their links to users of a host application.',
);
export const WORKSPACE_GROUP = group('Workspace', 'The name, place, currency and language of a workspace.');
export const AUDIT_GROUP = group(
  'Audit trail',
  'Who signed in to the workspace and who changed what, for its administrators.',
);
export const PERSONAL_DATA_GROUP = group(
  'Personal data',
  'What the platform keeps of a person: handed out and erased, by themselves or by an administrator.',
);
export const SINGLE_SIGN_ON_GROUP = group(
  'Single sign-on',
  'Signing in at the identity provider of a workspace, its providers and the domains that it has proven.',
);
export const API_KEY_GROUP = group(
  'API keys',
  'Keys with which programs call: of users, and of service accounts of the workspace.',
);
export const OAUTH_GROUP = group(
  'OAuth',
  'How installed apps get tokens: OAuth 2.1 with client credentials for an installation, and authorization code with PKCE for a user. The token endpoint and its neighbours take forms and answer errors as RFC 6749 says, with `error` and `error_description`.',
);
