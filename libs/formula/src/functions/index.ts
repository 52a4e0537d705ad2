import { BLANKVALUE, DAYS_BETWEEN, IF, TODAY } from './dates-and-blanks.js';
import type { FunctionDefinition } from './definition.js';
import { ABS, MAX, MIN, NUMBER, ROUND } from './numbers.js';
import { CONCAT, CONTAINS, LEN, LOWER, TEXT, UPPER } from './texts.js';

/** The functions of the language by name, in the order in which the documentation lists them. */
export const functions: ReadonlyMap<string, FunctionDefinition> = new Map(
  [IF, CONCAT, ROUND, ABS, MIN, MAX, LEN, UPPER, LOWER, CONTAINS, TODAY, DAYS_BETWEEN, NUMBER, TEXT, BLANKVALUE].map(
    (definition) => [definition.name, definition],
  ),
);
