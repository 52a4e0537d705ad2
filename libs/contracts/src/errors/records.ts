import { defineErrors } from './define.js';

/** Records of core and custom objects. */
export const RECORD_ERRORS = defineErrors({
  FIELD_ACCESS_DENIED: [403, 'The role may not write a field'],
  UNIQUE_VIOLATION: [409, 'A value must be unique'],
  QUERY_TOO_EXPENSIVE: [422, 'The query takes too long'],
});
