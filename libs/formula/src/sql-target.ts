import type { ValueType } from './types.js';

/** A piece of SQL that stands for a value: a primary expression, safe next to any operator. */
export interface SqlOperand {
  readonly sql: string;
  readonly type: ValueType;
  readonly nullable: boolean;
}

/** What the definition of a function uses to write SQL. */
export interface SqlTarget {
  /** A call of a helper of sql/helpers.ts, named without its prefix. */
  call(helper: string, ...args: readonly string[]): string;
  /** The date in the tenant's zone. */
  today(): string;
  /** The name of the tenant's zone. */
  zone(): string;
}

/** The types of Postgres by the language's types. */
const SQL_TYPES: Readonly<Partial<Record<ValueType, string>>> = {
  number: 'double precision',
  text: 'text',
  boolean: 'boolean',
  date: 'date',
  datetime: 'timestamptz',
  multi_select: 'text[]',
  // NULL next to NULL alone: any type would do.
  null: 'text',
};

/**
 * The type of Postgres that holds a type of the language. Throws a TypeError for `any`, which undeclared
 * names have: SQL is typed.
 */
export function sqlType(type: ValueType): string {
  const name = SQL_TYPES[type];
  if (name === undefined) throw new TypeError(`A value of type ${type} has no type in SQL`);
  return name;
}

/** A boolean for which null counts as FALSE. */
export function orFalse({ sql, nullable }: SqlOperand): string {
  return nullable ? `coalesce(${sql}, false)` : sql;
}

/** An operand as text, as TEXT gives it before the limit on text results. */
export function asText({ sql, type }: SqlOperand, target: SqlTarget): string {
  return type === 'text' ? sql : target.call('text', sql);
}

/** An operand as something that compares as its type does in the language. */
export function comparable({ sql, type }: SqlOperand): string {
  // float8 to numeric is the 15-digit decimal; "C" is the order of code points.
  if (type === 'number') return `${sql}::numeric`;
  return type === 'text' ? `${sql} COLLATE "C"` : sql;
}

/** Operands as texts one after the other, null as empty, before the limit on text results. */
export function joined(operands: readonly SqlOperand[], target: SqlTarget): string {
  // The function concat takes at most 100 arguments. Nulls in the array are skipped.
  return `array_to_string(ARRAY[${operands.map((operand) => asText(operand, target)).join(', ')}], '')`;
}
