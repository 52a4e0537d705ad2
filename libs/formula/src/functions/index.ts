import { ABS } from './abs.js';
import { BLANKVALUE } from './blankvalue.js';
import { CONCAT } from './concat.js';
import { CONTAINS } from './contains.js';
import { DAYS_BETWEEN } from './days-between.js';
import type { FunctionDefinition } from './definition.js';
import { IF } from './if.js';
import { LEN } from './len.js';
import { LOWER } from './lower.js';
import { MAX } from './max.js';
import { MIN } from './min.js';
import { NUMBER } from './number.js';
import { ROUND } from './round.js';
import { TEXT } from './text.js';
import { TODAY } from './today.js';
import { UPPER } from './upper.js';

/** The functions of the language by name, in the order in which the documentation lists them. */
export const functions: ReadonlyMap<string, FunctionDefinition> = new Map(
  [IF, CONCAT, ROUND, ABS, MIN, MAX, LEN, UPPER, LOWER, CONTAINS, TODAY, DAYS_BETWEEN, NUMBER, TEXT, BLANKVALUE].map(
    (definition) => [definition.name, definition],
  ),
);
