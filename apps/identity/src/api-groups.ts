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

export const API_KEY_GROUP: ApiGroupDescription = {
  name: 'API keys',
  description: 'Keys with which programs call: of users, and of service accounts of the workspace.',
};
