import { defineErrors } from './define.js';

/** People of a workspace and their invitations. */
export const IDENTITY_ERRORS = defineErrors({
  INVALID_INVITATION: [410, 'The invitation is not valid any more'],
});
