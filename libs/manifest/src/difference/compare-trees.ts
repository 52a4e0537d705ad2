import type { DifferenceKind } from './difference.js';
import { isSameJson, type Node, type PartsNode } from './tree.js';

/** A difference before anybody has said what it calls for. */
export interface RawDifference {
  /** Names from the manifest down. */
  readonly steps: readonly string[];
  readonly kind: DifferenceKind;
  readonly before?: unknown;
  readonly after?: unknown;
}

/** The differences of two parts, each as deep as it goes: for a part that only one of them has, that part; of a list, its items. */
export function* compareTrees(
  before: Node | undefined,
  after: Node | undefined,
  steps: readonly string[] = [],
): Generator<RawDifference> {
  if (before === undefined && after === undefined) return;
  if (!before && after?.parts && after.list) yield* compareParts({ ...after, parts: new Map() }, after, steps);
  else if (!after && before?.parts && before.list) yield* compareParts(before, { ...before, parts: new Map() }, steps);
  else if (before === undefined) yield { steps, kind: 'added', after: after?.json };
  else if (after === undefined) yield { steps, kind: 'removed', before: before.json };
  else if (before.parts && after.parts) yield* compareParts(before, after, steps);
  else if (!isSameJson(before.json, after.json)) {
    yield { steps, kind: 'changed', before: before.json, after: after.json };
  }
}

function* compareParts(before: PartsNode, after: PartsNode, steps: readonly string[]): Generator<RawDifference> {
  for (const [name, node] of after.parts) yield* compareTrees(before.parts.get(name), node, [...steps, name]);
  for (const [name, node] of before.parts) {
    if (!after.parts.has(name)) yield* compareTrees(node, undefined, [...steps, name]);
  }
  if (!after.ordered) return;
  const [old, now] = [common(before, after), common(after, before)];
  if (!isSameJson(old, now)) yield { steps, kind: 'changed', before: old, after: now };
}

/** The names that both have, in the order of the first. */
const common = (one: PartsNode, other: PartsNode): string[] =>
  [...one.parts.keys()].filter((name) => other.parts.has(name));
