/** Whether a value that came from elsewhere is an object whose fields can be read. */
export const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
