import { defineErrors } from './define.js';

/** Errors that any request can cause. */
export const REQUEST_ERRORS = defineErrors({
  MALFORMED_REQUEST: [400, 'The request cannot be read'],
  INVALID_QUERY: [400, 'A query parameter is not valid'],
  NOT_FOUND: [404, 'There is no such resource'],
  METHOD_NOT_ALLOWED: [405, 'The method is not allowed here'],
  CONFLICT: [409, 'The request conflicts with the present state'],
  VERSION_MISMATCH: [412, 'The resource was changed in the meantime'],
  PAYLOAD_TOO_LARGE: [413, 'The body is too large'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'The body must be application/json'],
  VALIDATION_FAILED: [422, 'Some values are not valid'],
  IDEMPOTENCY_KEY_REUSED: [422, 'The idempotency key was used with another body'],
  IDEMPOTENCY_KEY_IN_USE: [409, 'A request with this idempotency key is still running'],
  RATE_LIMITED: [429, 'Too many requests'],
  INTERNAL_ERROR: [500, 'Something went wrong on our side'],
  SERVICE_UNAVAILABLE: [503, 'A part of the platform is not available'],
  DEADLINE_EXCEEDED: [503, 'A part of the platform did not answer in time'],
  REQUEST_TIMEOUT: [408, 'The request did not arrive in time'],
});
