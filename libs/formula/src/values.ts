import type { EvaluationContext, JsonValue, ValueType } from './ast.js';
import { formatDate, formatInstant, parseDate, parseInstant, type TimeZone, timeZone } from './calendar.js';
import { bounded } from './text.js';

/**
 * The 15-digit decimal of a float64: its exact binary value rounded to 15 significant digits, an exact half to
 * the even digit. Postgres's `float8::numeric` does the same; JavaScript rounds such halves up.
 */
interface Decimal {
  readonly negative: boolean;
  /** 15 digits, the first of them not 0; zero is fifteen zeros. */
  readonly digits: string;
  /** The decimal exponent of the first digit: the value is d.dddd × 10^exponent. */
  readonly exponent: number;
}

/** How many digits survive the conversion to float64 and back (DBL_DIG of C). */
const PRECISION = 15;
/** Below it every integer is its own 15-digit decimal. */
export const EXACT_INTEGERS = 1e15;
/**
 * Two numbers that differ by more than this fraction of the larger one have different 15-digit decimals: one unit of
 * the 15th digit is at most 1e-14 of the number.
 */
export const SURELY_DIFFERENT = 2e-14;

/** The 15-digit decimal of a finite number. */
function toDecimal(value: number): Decimal {
  const negative = value < 0;
  const magnitude = Math.abs(value);
  if (magnitude === 0) return { negative: false, digits: '0'.repeat(PRECISION), exponent: 0 };
  const text = magnitude.toExponential(PRECISION - 1);
  const exponentAt = text.indexOf('e');
  let digits = text[0]! + text.slice(2, exponentAt);
  const lastDigit = digits.charCodeAt(PRECISION - 1) - 48;
  // toExponential rounds an exact half up; if that makes the last digit odd, the even one is one less.
  if (lastDigit % 2 === 1 && isExactHalf(magnitude)) digits = digits.slice(0, -1) + String(lastDigit - 1);
  return { negative, digits, exponent: Number(text.slice(exponentAt + 1)) };
}

/**
 * Returns whether the value lies exactly in the middle of two 15-digit decimals: its expansion has 16 digits, the last a 5.
 * Such a value is c × 10^k with a 16-digit c and |k| ≤ 22 (5^22 is the last power of 5 below 2^53), so its exponent
 * is between -7 and 37; there the whole expansion of a float64 has fewer than 100 digits.
 */
function isExactHalf(magnitude: number): boolean {
  if (magnitude < 1e-7 || magnitude >= 1e38) return false;
  if (magnitude.toExponential(PRECISION + 1).slice(PRECISION + 1, PRECISION + 3) !== '50') return false;
  const [mantissa] = magnitude.toExponential(100).split('e');
  return /^50*$/.test(mantissa!.slice(PRECISION + 1));
}

/** The float64 nearest to the 15-digit decimal; different decimals of float64 values give different results. */
export function roundTo15Digits(value: number): number {
  if (Number.isInteger(value) && Math.abs(value) < EXACT_INTEGERS) return value;
  return decimalToNumber(toDecimal(value));
}

function decimalToNumber({ negative, digits, exponent }: Decimal): number {
  return Number(`${negative ? '-' : ''}${digits}e${exponent - PRECISION + 1}`);
}

/** Compares the 15-digit decimals of two finite numbers: negative, 0 or positive. */
export function compareNumbers(a: number, b: number): number {
  if (a === b) return 0;
  const difference = Math.abs(a - b);
  if (difference > SURELY_DIFFERENT * Math.max(Math.abs(a), Math.abs(b))) return a < b ? -1 : 1;
  const left = roundTo15Digits(a);
  const right = roundTo15Digits(b);
  return left === right ? 0 : left < right ? -1 : 1;
}

/** Null for a result that is not finite; -0 becomes 0. */
export function finite(value: number): number | null {
  if (value === 0) return 0;
  return Number.isFinite(value) ? value : null;
}

/** The truncated remainder of the two 15-digit decimals, or null when the divisor is 0. Has the sign of `a`. */
export function remainder(a: number, b: number): number | null {
  if (b === 0) return null;
  if (Number.isInteger(a) && Number.isInteger(b) && Math.abs(a) < EXACT_INTEGERS && Math.abs(b) < EXACT_INTEGERS) {
    return finite(a % b);
  }
  const dividend = toDecimal(a);
  const divisor = toDecimal(b);
  const exponent = Math.min(dividend.exponent, divisor.exponent);
  // A divisor 17 or more orders larger leaves the dividend unchanged; this avoids numbers of 300 digits.
  if (divisor.exponent - dividend.exponent > PRECISION + 1) return finite(decimalToNumber(dividend));
  const left = BigInt(dividend.digits) * 10n ** BigInt(dividend.exponent - exponent);
  const right = BigInt(divisor.digits) * 10n ** BigInt(divisor.exponent - exponent);
  const magnitude = Number(`${left % right}e${exponent - PRECISION + 1}`);
  return finite(dividend.negative ? -magnitude : magnitude);
}

/**
 * Rounds the 15-digit decimal half away from zero to `places` digits after the point (before it when negative;
 * truncated toward zero, any size). Null when the result is not finite.
 */
export function roundDecimal(value: number, places: number): number | null {
  const decimal = toDecimal(value);
  const kept = decimal.exponent + 1 + Math.trunc(places);
  if (kept >= PRECISION) return finite(decimalToNumber(decimal));
  if (kept < 0) return 0;
  const up = decimal.digits.charCodeAt(kept) >= 53; // '5'
  const coefficient = Number(decimal.digits.slice(0, kept)) + (up ? 1 : 0);
  const magnitude = Number(`${coefficient}e${decimal.exponent - kept + 1}`);
  return finite(decimal.negative ? -magnitude : magnitude);
}

/** The 15-digit decimal written out: no exponent, no grouping, no trailing zeros after the point, never `-0`. */
export function decimalText(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < EXACT_INTEGERS) return String(value === 0 ? 0 : value);
  const { negative, digits, exponent } = toDecimal(value);
  const significant = digits.replace(/0+$/, '');
  const sign = negative ? '-' : '';
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${significant}`;
  const whole = significant.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  const fraction = significant.slice(exponent + 1);
  return sign + whole + (fraction && `.${fraction}`);
}

/**
 * A value while a formula runs: a date is its day number (0 is 1970-01-01), a datetime its milliseconds since 1970.
 * Only the static type distinguishes them from numbers; a value of type `any` is never a date or a datetime.
 */
export type Value = string | number | boolean | readonly string[] | null;

/** The most recent day: one request asks for the same day many times. */
let lastNow = Number.NaN;
let lastZone: TimeZone | undefined;
let lastDay = 0;

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

export interface Operand {
  readonly evaluate: Evaluator;
  readonly type: ValueType;
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

export function toJson(type: ValueType): (value: Value) => JsonValue {
  switch (type) {
    case 'date':
    case 'datetime':
      return toText(type);
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
