import { dayNumber, type EvaluationContext, formatDate, formatInstant, timeZone } from '@crm/formula';

/** Days from the first one to the one after the last, as numbers since 1970-01-01. */
interface Days {
  readonly from: number;
  readonly to: number;
}

const THIS: Readonly<Record<string, number>> = { last: -1, this: 0, next: 1 };
const PERIODS: Readonly<Record<string, (today: number, step: number) => Days>> = {
  // Weeks begin on Monday (ISO 8601); 1970-01-01 was a Thursday.
  Week: (today, step) => daysFrom(today - ((((today + 3) % 7) + 7) % 7) + step * 7, 7),
  Month: (today, step) => months(today, 1, step),
  Quarter: (today, step) => months(today, 3, step),
  Year: (today, step) => months(today, 12, step),
};
const DAYS: Readonly<Record<string, number>> = { yesterday: -1, today: 0, tomorrow: 1 };

/** `today`, `lastWeek` and the like. */
export const RELATIVE_DATES: readonly string[] = [
  ...Object.keys(DAYS),
  ...Object.keys(PERIODS).flatMap((period) => Object.keys(THIS).map((which) => `${which}${period}`)),
];

/** About a century. */
const MOST_DAYS = 36_500;

const daysFrom = (from: number, length: number): Days => ({ from, to: from + length });

/** The period of so many months in which a day lies, or one before or after it. */
function months(day: number, length: number, step: number): Days {
  const date = new Date(day * 86_400_000);
  const first = date.getUTCFullYear() * 12 + Math.floor(date.getUTCMonth() / length) * length + step * length;
  const start = (month: number) => dayNumber(Math.floor(month / 12), (month % 12) + 1, 1);
  return { from: start(first), to: start(first + length) };
}

/** @returns undefined for what is no relative date */
function daysOf(relative: unknown, today: number): Days | undefined {
  if (typeof relative === 'object' && relative !== null) {
    const { days, ...rest } = relative as { days?: unknown };
    const isDays = Number.isInteger(days) && Math.abs(days as number) <= MOST_DAYS && Object.keys(rest).length === 0;
    return isDays ? daysFrom(today + (days as number), 1) : undefined;
  }
  if (typeof relative !== 'string' || !RELATIVE_DATES.includes(relative)) return undefined;
  const step = DAYS[relative];
  if (step !== undefined) return daysFrom(today + step, 1);
  const [, which = '', period = ''] = /^(last|this|next)(.*)$/.exec(relative) ?? [];
  return PERIODS[period]?.(today, THIS[which] as number);
}

/** A period as canonical values: the first one in it, and the first one after it. */
export interface Span {
  readonly from: string;
  readonly to: string;
}

/**
 * A period that moves with the day of the tenant's zone: `today`, `thisWeek`, `lastQuarter`, or `{ days: -7 }`, the day seven days ago.
 * @returns undefined for anything else
 */
export function spanOf(
  relative: unknown,
  type: 'date' | 'datetime',
  { now, timeZone: zoneName }: EvaluationContext,
): Span | undefined {
  const zone = timeZone(zoneName);
  const days = daysOf(relative, zone.dayOf(now.getTime()));
  if (!days) return undefined;
  const text = (day: number) => (type === 'date' ? formatDate(day) : formatInstant(zone.startOfDay(day)));
  return { from: text(days.from), to: text(days.to) };
}
