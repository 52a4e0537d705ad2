const FIELDS = [
  { name: 'minute', min: 0, max: 59, names: [] },
  { name: 'hour', min: 0, max: 23, names: [] },
  { name: 'day of the month', min: 1, max: 31, names: [] },
  {
    name: 'month',
    min: 1,
    max: 12,
    names: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
  },
  { name: 'day of the week', min: 0, max: 7, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
];

/**
 * Returns the problem of a cron expression of five fields (POSIX crontab, with steps and the names of months and
 * days), or undefined when it is valid.
 */
export function cronProblem(expression: string): string | undefined {
  const parts = expression.trim().split(/\s+/);
  if (parts.length !== FIELDS.length)
    return 'A cron expression must have five fields: minute, hour, day, month, day of the week.';
  for (const [i, field] of FIELDS.entries()) {
    if (!parts[i]!.split(',').every((item) => isItem(item, field)))
      return `The ${field.name} "${parts[i]}" is not valid.`;
  }
  const [, , days = '', months = '', weekdays = ''] = parts;
  // With a day of the week, either of the two days matches, and every week has all of them.
  if (weekdays.startsWith('*') && !hasDate(days, months)) return `The month ${parts[3]} never has the day ${parts[2]}.`;
  return undefined;
}

/** Days per month in a leap year. */
const LONGEST = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function hasDate(days: string, months: string): boolean {
  const [, , day, month] = FIELDS;
  const firstDay = Math.min(...days.split(',').map((item) => firstOf(item, day!)));
  return months.split(',').some((item) => monthsOf(item, month!).some((number) => LONGEST[number - 1]! >= firstDay));
}

function firstOf(item: string, field: (typeof FIELDS)[number]): number {
  const [first = ''] = item.split(/[-/]/);
  return first === '*' ? field.min : fieldValue(first, field)!;
}

/** The months of an item that {@link isItem} accepts. */
function monthsOf(item: string, field: (typeof FIELDS)[number]): number[] {
  const [range = '', step] = item.split('/');
  const [first = '', last] = range.split('-');
  const from = firstOf(item, field);
  const single = step === undefined ? from : field.max;
  const to = first === '*' ? field.max : last === undefined ? single : fieldValue(last, field)!;
  const count = Math.floor((to - from) / Number(step ?? 1)) + 1;
  return Array.from({ length: count }, (_, i) => from + i * Number(step ?? 1));
}

function isItem(item: string, field: (typeof FIELDS)[number]): boolean {
  const match = /^(\*|[0-9a-z]+)(?:-([0-9a-z]+))?(?:\/(\d{1,2}))?$/i.exec(item);
  if (!match) return false;
  const [, first = '', last, step] = match;
  // A step that is larger than the range never reaches a second value.
  if (step !== undefined && (Number(step) < 1 || Number(step) > field.max)) return false;
  if (first === '*') return last === undefined;
  const from = fieldValue(first, field);
  const to = last === undefined ? from : fieldValue(last, field);
  return from !== undefined && to !== undefined && from <= to;
}

function fieldValue(text: string, { min, max, names }: (typeof FIELDS)[number]): number | undefined {
  const index = names.indexOf(text.toLowerCase());
  const value = index >= 0 ? index + min : /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? value : undefined;
}
