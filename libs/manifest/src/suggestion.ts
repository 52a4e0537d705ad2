import { nearestName } from '@crm/formula';

/** Comparing with more names than this costs more than the hint is worth. */
const MAX_CANDIDATES = 500;

/** ` Did you mean "x"?`, or nothing when no known name is near the given one. */
export function suggestion(name: string, known: Iterable<string>): string {
  const candidates = [...known].slice(0, MAX_CANDIDATES);
  const near = nearestName(name, candidates);
  return near === undefined ? '' : ` Did you mean "${near}"?`;
}
