import type { ValueType } from './ast.js';

/** A piece of SQL that stands for a value: a primary expression, safe next to any operator. */
export interface SqlOperand {
  readonly sql: string;
  readonly type: ValueType;
  readonly nullable: boolean;
}

export interface SqlTarget {
  /** A call of a helper of sql/helpers.ts, named without its prefix. */
  call(helper: string, ...args: readonly string[]): string;
  today(): string;
  zone(): string;
}

const SQL_TYPES: Readonly<Partial<Record<ValueType, string>>> = {
  number: 'double precision',
  text: 'text',
  boolean: 'boolean',
  date: 'date',
  datetime: 'timestamptz',
  multi_select: 'text[]',
  // NULL next to NULL only: any type works.
  null: 'text',
};

/**
 * The Postgres type for a type of the language. Throws a TypeError for `any`, the type of undeclared names: SQL is
 * typed.
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

/** An operand as text, as TEXT returns it before the limit on text results. */
export function asText({ sql, type }: SqlOperand, target: SqlTarget): string {
  return type === 'text' ? sql : target.call('text', sql);
}

/** An operand in a form that Postgres compares as the language does. */
export function comparable({ sql, type }: SqlOperand): string {
  // float8 converted to numeric is the 15-digit decimal; "C" orders by code point.
  if (type === 'number') return `${sql}::numeric`;
  return type === 'text' ? `${sql} COLLATE "C"` : sql;
}

/** The texts of the operands joined, null as an empty text, before the limit on text results. */
export function joined(operands: readonly SqlOperand[], target: SqlTarget): string {
  // The function concat accepts at most 100 arguments. Nulls in the array are skipped.
  return `array_to_string(ARRAY[${operands.map((operand) => asText(operand, target)).join(', ')}], '')`;
}
