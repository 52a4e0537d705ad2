import { orFalse } from '../sql-target.js';
import { type FunctionDefinition, SCALARS } from './definition.js';

export const IF: FunctionDefinition = {
  name: 'IF',
  parameters: [
    { name: 'condition', accepts: ['boolean'] },
    { name: 'then', accepts: SCALARS, shared: true },
    { name: 'else', accepts: SCALARS, shared: true, optional: true },
  ],
  result: 'shared',
  nullable: ([, whenTrue, whenFalse]) => whenTrue! || whenFalse !== false,
  compile([condition, whenTrue, whenFalse]) {
    const test = condition!.evaluate;
    if (whenTrue!.constant !== undefined && whenFalse?.constant !== undefined) {
      const [then, otherwise] = [whenTrue!.constant, whenFalse.constant];
      return (row) => (test(row) === true ? then : otherwise);
    }
    const yes = whenTrue!.evaluate;
    const no = whenFalse?.evaluate ?? (() => null);
    return (row) => (test(row) === true ? yes(row) : no(row));
  },
  emit: ([condition, whenTrue, whenFalse]) =>
    `(CASE WHEN ${orFalse(condition!)} THEN ${whenTrue!.sql} ELSE ${whenFalse?.sql ?? 'NULL'} END)`,
  doc: {
    summary:
      'The second argument when the condition is true; otherwise, also when it is null, the third, or null without one.',
    examples: ['IF(amount > 1000, "large", "small")', 'IF(won, amount)'],
  },
};
