/** Token under which the TextResolver is injected. */
export const TEXT_RECORDS = Symbol('identity:text records');
