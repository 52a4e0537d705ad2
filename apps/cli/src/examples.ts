/**
 * The starters are the examples of the repository, so the two cannot differ. The URL is valid both for this file in `src`
 * and for the built program in `dist`.
 */
export const EXAMPLES = new URL('../../../examples/', import.meta.url);
