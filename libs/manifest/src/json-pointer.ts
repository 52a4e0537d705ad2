import { escapePointer } from '@crm/contracts';

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Longer keys are shortened in pointers, so that many findings below them stay short. In UTF-16 units. */
const LONGEST_STEP = 200;

/**
 * Builds a JSON pointer (RFC 6901) from its steps. Without steps it is empty and points to the whole document. A step of
 * more than 200 characters is shortened with `…`, so the pointer then leads to the enclosing value.
 */
export function pointer(...steps: (string | number)[]): string {
  let text = '';
  for (const step of steps) text += `/${typeof step === 'number' ? step : stepOf(step)}`;
  return text;
}

function stepOf(given: string): string {
  const step =
    given.length > LONGEST_STEP ? `${given.slice(0, LONGEST_STEP - 1).replace(/[\ud800-\udbff]$/, '')}…` : given;
  return escapePointer(step);
}

export function pointerSteps(text: string): string[] {
  return text
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}
