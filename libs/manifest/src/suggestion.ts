import { nearestName } from '@crm/formula';

/** Limits the cost of a hint. */
const MAX_CANDIDATES = 500;

/** ` Did you mean "x"?`, or an empty string when no known name is similar. */
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
