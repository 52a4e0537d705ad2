/**
 * The 15-digit decimal of a float64: its exact binary value rounded to 15 significant digits, an exact half to
 * the even digit. Postgres's `float8::numeric` does the same; JavaScript rounds such halves up.
 */
export interface Decimal {
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
export function toDecimal(value: number): Decimal {
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
 * Whether the value lies exactly in the middle of two 15-digit decimals: its expansion has 16 digits, the last a 5.
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
