import { defineErrors } from './define.js';

/** People of a workspace and their invitations. */
export const IDENTITY_ERRORS = defineErrors({
  INVALID_INVITATION: [410, 'The invitation is not valid any more'],
  WEAK_PASSWORD: [422, 'The password is too easy to guess'],
  INVALID_PASSWORD_RESET: [410, 'The link to set a new password is not valid any more'],
  INVALID_EMAIL_CHANGE: [410, 'The link to change the e-mail address is not valid any more'],
  EMAIL_NOT_VERIFIED: [403, 'The e-mail address of the workspace is not verified yet'],
  INVALID_VERIFICATION: [410, 'The link that verifies the address is not valid any more'],
  INVALID_AUTHORIZATION_REQUEST: [410, 'The request of the app is not valid any more'],
  APP_NOT_INSTALLED: [409, 'The app is not installed in the workspace'],
  INVALID_UNDO_LINK: [410, 'The link that undoes the change is not valid any more'],
  SINGLE_SIGN_ON_REQUIRED: [403, 'The workspace requires single sign-on'],
  SINGLE_SIGN_ON_EXPIRED: [410, 'The sign-in at the identity provider is not valid any more'],
  SINGLE_SIGN_ON_REFUSED: [403, 'The sign-in at the identity provider is not accepted'],
  SINGLE_SIGN_ON_FAILED: [401, 'The identity provider did not complete the sign-in'],
  DOMAIN_TAKEN: [409, 'The domain belongs to another workspace'],
  DOMAIN_NOT_PROVEN: [409, 'The record that proves the domain was not found'],
  OWN_WORKSPACE: [403, 'Nobody decides on their own workspace'],
});
