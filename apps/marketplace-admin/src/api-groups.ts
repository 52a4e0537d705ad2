import type { ApiGroupDescription } from '@crm/http';

// Groups of the API documentation that controllers of several nouns belong to.

export const SIGN_IN_GROUP: ApiGroupDescription = {
  name: 'Sign-in',
  description: 'Operators sign in here; their tokens are accepted at this address only.',
};
