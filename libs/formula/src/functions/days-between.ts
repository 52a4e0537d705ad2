import type { SqlOperand, SqlTarget } from '../sql-target.js';
import type { Evaluator, Operand } from '../values.js';
import type { FunctionDefinition } from './definition.js';

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
