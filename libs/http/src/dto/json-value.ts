import { escapePointer, PlatformError } from '@crm/contracts';

/** Deeper bodies have no use and would exhaust the stack of recursive code. */
const MAX_DEPTH = 64;

interface Container {
  readonly value: object;
  readonly depth: number;
  readonly parent?: Container;
  readonly key: string;
}

/**
 * Rejects what Postgres cannot store, anywhere in a value: U+0000 and lone surrogates (neither `text` nor `jsonb` accepts
 * them) and numbers outside the range of a double. Works without recursion.
 * @param problem creates the error for the value at a JSON pointer
 * @throws PlatformError MALFORMED_REQUEST for a value nested deeper than 64
 */
export function refuseBadText(value: unknown, problem: (pointer: string) => PlatformError): void {
  const pending: Container[] = [];
  const visit = (item: unknown, key: string, parent?: Container): void => {
    if (isBadScalar(item)) throw problem(pointerTo(key, parent));
    if (typeof item !== 'object' || item === null) return;
    const depth = (parent?.depth ?? 0) + 1;
    if (depth > MAX_DEPTH) throw new PlatformError('MALFORMED_REQUEST', `The body is nested deeper than ${MAX_DEPTH}`);
    pending.push({ value: item, depth, parent, key });
  };
  visit(value, '');
  for (let container = pending.pop(); container; container = pending.pop()) {
    for (const [key, item] of Object.entries(container.value)) {
      if (isBadText(key)) throw problem(pointerTo('', container));
      visit(item, key, container);
    }
  }
}

/** For bodies: 422 VALIDATION_FAILED that names the value. */
export function refuseBadBody(body: unknown): void {
  refuseBadText(
    body,
    (pointer) =>
      new PlatformError('VALIDATION_FAILED', undefined, {
        errors: [{ pointer, code: 'INVALID_CHARACTER', detail: 'Has a character or a number that cannot be stored' }],
      }),
  );
}

const isBadText = (text: string): boolean => text.includes('\0') || /\p{Surrogate}/u.test(text);

const isBadScalar = (item: unknown): boolean =>
  typeof item === 'string' ? isBadText(item) : typeof item === 'number' && !Number.isFinite(item);

function pointerTo(key: string, parent: Container | undefined): string {
  const parts = [key];
  for (let at = parent; at?.parent; at = at.parent) parts.unshift(at.key);
  return parent ? `/${parts.map(escapePointer).join('/')}` : '';
}
