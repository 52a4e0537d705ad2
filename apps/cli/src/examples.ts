/**
 * The examples of the repository are the starters: what is shown and what is written cannot differ. The address holds for
 * this file in `src` as for the built program in `dist`.
 */
export const EXAMPLES = new URL('../../../examples/', import.meta.url);
