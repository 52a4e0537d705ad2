import { optionIndex } from '../options.js';
import type { FieldProblem } from '../problem.js';
import { accept, type FieldType, refuse } from './field-type.js';

/** Longest accepted list; our choice. It may be longer than the options because duplicates are allowed. */
const LONGEST_LIST = 1000;

export const multiSelect: FieldType = {
  name: 'multi_select',
  slotKind: null,
  formulaType: 'multi_select',
  allowedRules: [],
  mayBeUnique: false,
  /** Converts to a set in the order of the options; an empty set means no value. */
  parse(input, field) {
    if (!Array.isArray(input)) return refuse('WRONG_TYPE', 'Must be a list of options', { expected: 'array' });
    if (input.length > LONGEST_LIST) {
      return refuse('TOO_MANY_VALUES', `Must have at most ${LONGEST_LIST} entries`, { limit: LONGEST_LIST });
    }
    const options = optionIndex(field);
    const chosen = new Set<string>();
    const problems: FieldProblem[] = [];
    for (const [index, entry] of input.entries()) {
      const pointer = `/${index}`;
      if (typeof entry !== 'string') {
        problems.push({
          pointer,
          code: 'WRONG_TYPE',
          detail: 'Must be an option as text',
          params: { expected: 'string' },
        });
      } else if (!options.has(entry)) {
        const params = { options: [...options.keys()] };
        problems.push({ pointer, code: 'NOT_AN_OPTION', detail: 'Must be one of the options', params });
      } else {
        chosen.add(entry);
      }
    }
    if (problems.length > 0) return { ok: false, problems };
    if (chosen.size === 0) return accept(null);
    return accept([...chosen].sort((a, b) => options.get(a)! - options.get(b)!));
  },
  toSlot: (value) => (value as string[]).join(', '),
  toUniqueKey: (value) => JSON.stringify(value),
  toSearchText: (value) => (value as string[]).join(' '),
};
