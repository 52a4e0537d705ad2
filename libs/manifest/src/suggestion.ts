import { nearestName } from '@crm/formula';

/** Comparing with more names than this costs more than the hint is worth. */
const MAX_CANDIDATES = 500;

/** ` Did you mean "x"?`, or nothing when no known name is near the given one. */
export function suggestion(name: string, known: Iterable<string>): string {
  const near = nearestName(name, first(known, MAX_CANDIDATES));
  return near === undefined ? '' : ` Did you mean "${near}"?`;
}

function* first<T>(items: Iterable<T>, count: number): Generator<T> {
  let taken = 0;
  for (const item of items) {
    if (taken++ === count) return;
    yield item;
  }
}
