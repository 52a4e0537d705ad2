import { orFalse, type SqlOperand, type SqlTarget } from '../sql-target.js';
import type { Evaluator, Operand } from '../values.js';
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

export const BLANKVALUE: FunctionDefinition = {
  name: 'BLANKVALUE',
  parameters: [
    { name: 'value', accepts: SCALARS, shared: true },
    { name: 'substitute', accepts: SCALARS, shared: true },
  ],
  result: 'shared',
  nullable: ([, substitute]) => substitute!,
  compile([value, substitute]) {
    const first = value!.evaluate;
    const second = substitute!.evaluate;
    return (row) => {
      const result = first(row);
      return result === null || result === '' ? second(row) : result;
    };
  },
  emit: ([value, substitute], type) =>
    // The operand appears only once; otherwise every nested call would double the SQL.
    `coalesce(${type === 'text' ? `nullif(${value!.sql} COLLATE "C", '')` : value!.sql}, ${substitute!.sql})`,
  doc: {
    summary: 'The first argument, or the second when the first is null or an empty text. Spaces count as a value.',
    examples: ['BLANKVALUE(nickname, firstName)', 'BLANKVALUE(amount, 0)'],
  },
};

export const DAYS_BETWEEN: FunctionDefinition = {
  name: 'DAYS_BETWEEN',
  parameters: [
    { name: 'from', accepts: ['date', 'datetime'] },
    { name: 'to', accepts: ['date', 'datetime'] },
  ],
  result: 'number',
  nullable: (args) => args.some(Boolean),
  // The date of a datetime is the one in the tenant's zone.
  readsClock: (types) => types.includes('datetime'),
  compile([from, to]) {
    const first = day(from!);
    const last = day(to!);
    return (row) => {
      const a = first(row);
      if (a === null) return null;
      const b = last(row);
      return b === null ? null : (b as number) - (a as number);
    };
  },
  emit: ([from, to], _type, target) => `(${emitDay(to!, target)} - ${emitDay(from!, target)})::float8`,
  doc: {
    summary:
      'Whole calendar days from the first to the second, negative when the second is earlier. A datetime counts as ' +
      "its date in the workspace's time zone; null gives null.",
    examples: ['DAYS_BETWEEN(startDate, endDate)', 'DAYS_BETWEEN(createdOn, TODAY())'],
  },
};

/** The day number of a date or datetime; an undeclared name holds neither. */
function day({ evaluate, type }: Operand): Evaluator {
  if (type === 'date') return evaluate;
  if (type !== 'datetime') return () => null;
  return (row) => {
    const instant = evaluate(row);
    return instant === null ? null : row.zone.dayOf(instant as number);
  };
}

function emitDay({ sql, type }: SqlOperand, target: SqlTarget): string {
  return type === 'datetime' ? `(${sql} AT TIME ZONE ${target.zone()})::date` : sql;
}

export const TODAY: FunctionDefinition = {
  name: 'TODAY',
  parameters: [],
  result: 'date',
  nullable: () => false,
  readsClock: () => true,
  compile: () => (row) => row.today,
  emit: (_args, _type, target) => target.today(),
  doc: {
    summary: "The date in the workspace's time zone, the same for everything one request computes.",
    examples: ['TODAY()', 'DAYS_BETWEEN(TODAY(), closeDate)'],
  },
};
