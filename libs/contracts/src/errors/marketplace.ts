import { defineErrors } from './define.js';

/** Submissions, reviews and installations. */
export const MARKETPLACE_ERRORS = defineErrors({
  CERTIFICATION_FAILED: [422, 'The package did not pass certification'],
  SUBMISSION_STATE: [409, 'The submission is not in a state that allows this'],
  OWN_SUBMISSION: [403, 'Nobody decides on a submission of their own workspace'],
  APP_NOT_INSTALLABLE: [409, 'The app cannot be installed'],
  APP_NOT_INSTALLED: [409, 'The app is not installed in this workspace'],
  ALREADY_INSTALLED: [409, 'The app is installed already'],
  SCOPE_NOT_REQUESTED: [422, 'A granted scope was not requested by the app'],
  SCOPE_REQUIRED: [422, 'A scope that the app cannot work without was not granted'],
  OBJECT_LIMIT_EXCEEDED: [409, "The plan's limit of custom objects would be exceeded"],
  INSTALL_FAILED: [409, 'The installation failed and was rolled back'],
});
