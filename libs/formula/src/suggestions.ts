import type { FieldTypes, ValueType } from './ast.js';

/** The declared type of a name, looked up among own properties only. */
export function fieldType(fields: FieldTypes, name: string): ValueType | undefined {
  if (isMap(fields)) return fields.get(name);
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

export function fieldNames(fields: FieldTypes): Iterable<string> {
  return isMap(fields) ? fields.keys() : Object.keys(fields);
}

/** A declared field may be called `get` or `keys`, so the shape says nothing: only the class does. */
function isMap(fields: FieldTypes): fields is ReadonlyMap<string, ValueType> {
  return fields instanceof Map;
}

/** Longer names get no suggestion: the time for the distance is quadratic in their length. */
const LONGEST_NAME = 64;
/** Only this many candidates are compared: a hint is not worth more time. */
const MAX_CANDIDATES = 500;

/**
 * The candidate most likely meant by a misspelt name: the same letters in another case, else the nearest by
 * edit distance (insert, delete, replace, swap of neighbours), at most a third of the name's length away. Names of one
 * or two letters are all near each other, so for them only the case may differ.
 */
export function nearestName(name: string, candidates: Iterable<string>): string | undefined {
  if (name.length > LONGEST_NAME) return undefined;
  const wanted = name.toLowerCase();
  let best: string | undefined;
  let bestDistance = Math.floor(name.length / 3) + 1;
  let compared = 0;
  for (const candidate of candidates) {
    if (compared++ === MAX_CANDIDATES) break;
    if (candidate.length > LONGEST_NAME || Math.abs(candidate.length - name.length) >= bestDistance) continue;
    const lower = candidate.toLowerCase();
    if (lower === wanted) return candidate;
    const distance = editDistance(wanted, lower);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Optimal string alignment distance. */
function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let distance = Math.min(previous[j]! + 1, current[j - 1]! + 1, previous[j - 1]! + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        distance = Math.min(distance, beforePrevious[j - 2]! + 1);
      }
      current.push(distance);
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[b.length]!;
}
