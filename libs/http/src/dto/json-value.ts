import { escapePointer, PlatformError } from '@crm/contracts';
import { hasTooManyValues, MAX_DEPTH, MAX_VALUES, mayHoldBadText } from './json-text.js';

interface Container {
  readonly value: object;
  readonly depth: number;
  readonly parent?: Container;
  readonly key: string | number;
}

/**
 * Rejects what Postgres cannot store, anywhere in a value: U+0000 and lone surrogates (neither `text` nor `jsonb` accepts
 * them) and numbers outside the range of a double. Works without recursion, and without a text for each index of a list.
 * @param problem creates the error for the value at a JSON pointer
 * @throws PlatformError MALFORMED_REQUEST for a value nested deeper than 64
 */
export function refuseBadText(value: unknown, problem: (pointer: string) => PlatformError): void {
  const pending: Container[] = [];
  const visit = (item: unknown, key: string | number, parent?: Container): void => {
    if (isBadScalar(item)) throw problem(pointerTo(key, parent));
    if (typeof item !== 'object' || item === null) return;
    const depth = (parent?.depth ?? 0) + 1;
    if (depth > MAX_DEPTH) throw new PlatformError('MALFORMED_REQUEST', `The body is nested deeper than ${MAX_DEPTH}`);
    pending.push({ value: item, depth, parent, key });
  };
  visit(value, '');
  for (let container = pending.pop(); container; container = pending.pop()) {
    const members = container.value;
    if (Array.isArray(members)) {
      for (let index = 0; index < members.length; index += 1) visit(members[index], index, container);
      continue;
    }
    for (const key of Object.keys(members)) {
      if (isBadText(key)) throw problem(pointerTo('', container));
      visit((members as Record<string, unknown>)[key], key, container);
    }
  }
}

/**
 * For the text of a body, before it is parsed.
 * @throws PlatformError MALFORMED_REQUEST for more values than a body may have
 */
export function refuseHugeBody(text: string): void {
  if (!hasTooManyValues(text)) return;
  throw new PlatformError('MALFORMED_REQUEST', `The body has more than ${MAX_VALUES.toLocaleString('en')} values`);
}

/**
 * For bodies: 422 VALIDATION_FAILED that names the value. Nearly every text shows by itself that there is none.
 * @param text that the body was parsed from
 */
export function refuseBadBody(text: string, body: unknown): void {
  if (!mayHoldBadText(text)) return;
  refuseBadText(
    body,
    (pointer) =>
      new PlatformError('VALIDATION_FAILED', undefined, {
        errors: [{ pointer, code: 'INVALID_CHARACTER', detail: 'Has a character or a number that cannot be stored' }],
      }),
  );
}

const isBadText = (text: string): boolean => text.includes('\0') || !text.isWellFormed();

const isBadScalar = (item: unknown): boolean =>
  typeof item === 'string' ? isBadText(item) : typeof item === 'number' && !Number.isFinite(item);

function pointerTo(key: string | number, parent: Container | undefined): string {
  const parts = [key];
  for (let at = parent; at?.parent; at = at.parent) parts.unshift(at.key);
  return parent ? `/${parts.map((part) => escapePointer(String(part))).join('/')}` : '';
}
