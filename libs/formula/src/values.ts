import { formatDate, formatInstant, parseDate, parseInstant } from './calendar.js';
import { decimalText } from './decimal.js';
import { bounded } from './text.js';
import { type TimeZone, timeZone } from './time-zone.js';
import type { EvaluationContext, JsonValue, ValueType } from './types.js';

/**
 * A value while a formula runs: a date is its day number (0 is 1970-01-01), a datetime its milliseconds since 1970.
 * Only the static type distinguishes them from numbers; a value of type `any` is never a date or a datetime.
 */
export type Value = string | number | boolean | readonly string[] | null;

/** The most recent day: one request asks for the same day many times. */
let lastNow = Number.NaN;
let lastZone: TimeZone | undefined;
let lastDay = 0;

/** The inputs of one evaluation. */
export class Row {
  constructor(
    readonly record: Readonly<Record<string, unknown>>,
    private readonly context: EvaluationContext,
  ) {}

  get zone(): TimeZone {
    return timeZone(this.context.timeZone);
  }

  /** The day number of the date in the tenant's zone. */
  get today(): number {
    const now = this.context.now.getTime();
    const zone = this.zone;
    if (now !== lastNow || zone !== lastZone) {
      lastNow = now;
      lastZone = zone;
      lastDay = zone.dayOf(now);
    }
    return lastDay;
  }
}

export type Evaluator = (row: Row) => Value;

/** A compiled argument or operand with its static type. */
export interface Operand {
  readonly evaluate: Evaluator;
  readonly type: ValueType;
  /** The value of a literal. */
  readonly constant?: number | string | boolean;
}

/** The closure that reads a field as a type; null when the value has another type. Only own properties count. */
export function fieldReader(name: string, type: ValueType): Evaluator {
  switch (type) {
    case 'number':
      return ({ record }) => {
        const value = own(record, name);
        return typeof value === 'number' && value - value === 0 ? value + 0 : null;
      };
    case 'text':
      return ({ record }) => {
        const value = own(record, name);
        return typeof value === 'string' ? value : null;
      };
    case 'boolean':
      return ({ record }) => {
        const value = own(record, name);
        return typeof value === 'boolean' ? value : null;
      };
    case 'date':
      return ({ record }) => {
        const value = own(record, name);
        return typeof value === 'string' ? parseDate(value) : null;
      };
    default: {
      const fits = fromJson(type);
      return ({ record }) => fits(own(record, name));
    }
  }
}

/** The record's own property, regardless of its prototype. */
function own(record: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

/** Reads a JSON value as a type; null when it has another type. */
function fromJson(type: ValueType): (value: unknown) => Value {
  switch (type) {
    case 'number':
      return (value) => (typeof value === 'number' && Number.isFinite(value) ? value + 0 : null);
    case 'text':
      return (value) => (typeof value === 'string' ? value : null);
    case 'boolean':
      return (value) => (typeof value === 'boolean' ? value : null);
    case 'date':
      return (value) => (typeof value === 'string' ? parseDate(value) : null);
    case 'datetime':
      return (value) => (typeof value === 'string' ? parseInstant(value) : null);
    case 'multi_select':
      return (value) => (isSelection(value) ? value : null);
    case 'any':
      return (value) => {
        if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : null;
        return typeof value === 'string' || typeof value === 'boolean' ? value : null;
      };
    case 'null':
      return () => null;
  }
}

function isSelection(value: unknown): value is string[] {
  return Array.isArray(value) && value.length > 0 && value.every((option) => typeof option === 'string');
}

/** The canonical JSON form of a result. */
export function toJson(type: ValueType): (value: Value) => JsonValue {
  switch (type) {
    case 'date':
      return (value) => (value === null ? null : formatDate(value as number));
    case 'datetime':
      return (value) => (value === null ? null : formatInstant(value as number));
    case 'text':
    case 'any':
      return (value) => (typeof value === 'string' ? bounded(value) : value);
    default:
      return asItIs;
  }
}

/** A value whose internal form is its JSON form. */
export const asItIs = (value: Value): JsonValue => value;

/** What TEXT returns for a value of a type, before the limit on text results. */
export function toText(type: ValueType): (value: Value) => string | null {
  switch (type) {
    case 'date':
      return (value) => (value === null ? null : formatDate(value as number));
    case 'datetime':
      return (value) => (value === null ? null : formatInstant(value as number));
    default:
      return (value) => {
        if (value === null || typeof value === 'string') return value;
        if (typeof value === 'number') return decimalText(value);
        return typeof value === 'boolean' ? String(value) : value.join(', ');
      };
  }
}

/**
 * The operand as a type that the checker accepted: a value of type `any` that has another type is null, everything
 * else already has the type.
 */
export function coerced(operand: Operand, type: ValueType): Evaluator {
  if (operand.type !== 'any' || type === 'any') return operand.evaluate;
  const { evaluate } = operand;
  switch (type) {
    case 'number':
    case 'boolean': {
      return (row) => {
        const value = evaluate(row);
        return typeof value === type ? value : null;
      };
    }
    case 'text':
      return (row) => {
        const value = evaluate(row);
        return typeof value === 'string' ? value : null;
      };
    default:
      // An undeclared JSON value is never a date, a datetime or a selection.
      return () => null;
  }
}
