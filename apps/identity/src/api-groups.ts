import type { ApiGroupDescription } from '@crm/http';

// Groups of the API documentation that controllers of several nouns belong to.

export const SIGN_IN_GROUP: ApiGroupDescription = {
  name: 'Sign-in',
  description:
    'Registering a workspace, signing in, refreshing tokens and managing sessions. An access token lives 15 minutes.',
};

export const USER_GROUP: ApiGroupDescription = {
  name: 'Users',
  description: 'The people of a workspace, their roles and their links to users of a host application.',
};

export const OAUTH_GROUP: ApiGroupDescription = {
  name: 'OAuth',
  description:
    'How installed apps get tokens: OAuth 2.1 with client credentials for an installation, and authorization code with PKCE for a user. The token endpoint and its neighbours take forms and answer errors as RFC 6749 says, with `error` and `error_description`.',
};
