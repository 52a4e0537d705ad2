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
 * What is wrong with a cron expression of five fields (POSIX crontab, with steps and the names of months and
 * days), or undefined.
 */
export function cronProblem(expression: string): string | undefined {
  const parts = expression.trim().split(/\s+/);
  if (parts.length !== FIELDS.length)
    return 'A cron expression has five fields: minute, hour, day, month, day of the week.';
  for (const [i, field] of FIELDS.entries()) {
    if (!parts[i]!.split(',').every((item) => isItem(item, field)))
      return `The ${field.name} "${parts[i]}" is not valid.`;
  }
  return undefined;
}

function isItem(item: string, field: (typeof FIELDS)[number]): boolean {
  const match = /^(\*|[0-9a-z]+)(?:-([0-9a-z]+))?(?:\/(\d{1,2}))?$/i.exec(item);
  if (!match) return false;
  const [, first = '', last, step] = match;
  if (step !== undefined && Number(step) < 1) return false;
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
