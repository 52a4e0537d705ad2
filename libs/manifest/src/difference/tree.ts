import { isObject } from '../json-pointer.js';

/**
 * What a difference calls for, the most urgent first. `access`: the app, those it talks to or some of its users reach more
 * than before. `loss`: what tenants, users or clients have today may be lost or fail. `behaviour`: the app does something
 * else. `text`: people read something else.
 */
export const ATTENTIONS = ['access', 'loss', 'behaviour', 'text'] as const;
export type Attention = (typeof ATTENTIONS)[number];

export const DIFFERENCE_KINDS = ['added', 'removed', 'changed'] as const;
type DifferenceKind = (typeof DIFFERENCE_KINDS)[number];

/** One difference between two versions of a package. */
export interface Difference {
  /**
   * Like a JSON pointer, with names in place of positions: `/objects/visit/fields/hours/readRoles`. `/hosts/…` and
   * `/events/…` are not sections: they sum up which hosts the whole package calls and which events it listens to.
   */
  readonly path: string;
  readonly kind: DifferenceKind;
  readonly attention: Attention;
  /** Why it has this attention, where the path and the values do not say it. */
  readonly note?: string;
  /** Absent for what was added. */
  readonly before?: unknown;
  /** Absent for what was removed. */
  readonly after?: unknown;
}

/** A part of a package as it is compared: a value that is compared as a whole, or parts with names. */
type Node = ValueNode | PartsNode;

interface ValueNode {
  readonly json: unknown;
  readonly parts?: undefined;
}

interface PartsNode {
  readonly json: unknown;
  readonly parts: ReadonlyMap<string, Node>;
  /** True when it is a list: without it, it is as if it were empty. */
  readonly list: boolean;
  /** True when the order of the parts says something. */
  readonly ordered: boolean;
}

/** How a part of a package is compared. Returns undefined for what says no more than its absence. */
export type Shape = (json: unknown) => Node | undefined;

type Json = Readonly<Record<string, unknown>>;

export const whole: Shape = (json) => ({ json });

/** A list whose order and repetitions say nothing, compared as a whole. An empty one says no more than its absence. */
export const wholeSet: Shape = (json) => {
  if (!isListOfTexts(json)) return { json };
  return json.length === 0 ? undefined : { json: [...new Set(json)].sort() };
};

/**
 * An object, compared member by member.
 * @param shapes of members that are not compared as a whole
 * @param defaults values that say no more than the absence of the member
 */
export function members(shapes: Readonly<Record<string, Shape>> = {}, defaults: Json = {}): Shape {
  return (json) => {
    if (!isObject(json)) return { json };
    const parts = new Map<string, Node>();
    for (const name of Object.keys(json)) {
      const value = json[name];
      if (value === undefined || (Object.hasOwn(defaults, name) && defaults[name] === value)) continue;
      const node = (Object.hasOwn(shapes, name) ? (shapes[name] as Shape) : whole)(value);
      if (node) parts.set(name, node);
    }
    return { json, parts, list: false, ordered: false };
  };
}

/** A list of texts of which the order says nothing: each text is a part. */
export const textSet: Shape = (json) => {
  if (!isListOfTexts(json)) return { json };
  if (json.length === 0) return undefined;
  return { json, parts: new Map(json.map((text) => [text, { json: text }])), list: true, ordered: false };
};

interface ListOptions {
  /** True when the order of the items says something. */
  readonly ordered?: boolean;
  /** The member that a text in place of an item stands for. */
  readonly short?: string;
}

/**
 * A list whose items are found again by name, wherever they are.
 * @param nameOf names an item; of several items with one name, each is found again by its turn
 */
export function named(
  nameOf: (item: Json) => unknown,
  item: Shape,
  { ordered = false, short }: ListOptions = {},
): Shape {
  return (json) => {
    if (!Array.isArray(json)) return { json };
    if (json.length === 0) return undefined;
    const parts = new Map<string, Node>();
    const turns = new Map<string, number>();
    for (const given of json) {
      const written = short !== undefined && typeof given === 'string' ? { [short]: given } : given;
      const wanted = isObject(written) ? nameOf(written) : undefined;
      const name = typeof wanted === 'string' ? wanted : 'unnamed';
      const node = item(written);
      if (node) parts.set(freeName(parts, turns, name), node);
    }
    return { json, parts, list: true, ordered };
  };
}

/** The name, and for one that occurs again its turn: `visit #2`. */
function freeName(parts: ReadonlyMap<string, Node>, turns: Map<string, number>, name: string): string {
  let turn = (turns.get(name) ?? 0) + 1;
  while (parts.has(turn === 1 ? name : `${name} #${turn}`)) turn++;
  turns.set(name, turn);
  return turn === 1 ? name : `${name} #${turn}`;
}

function isListOfTexts(json: unknown): json is string[] {
  return Array.isArray(json) && json.every((item) => typeof item === 'string');
}

function isSameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one) || Array.isArray(other)) {
    if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false;
    return one.every((item, index) => isSameJson(item, other[index]));
  }
  if (!isObject(one) || !isObject(other)) return false;
  const names = Object.keys(one);
  if (names.length !== Object.keys(other).length) return false;
  return names.every((name) => Object.hasOwn(other, name) && isSameJson(one[name], other[name]));
}

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

const common = (one: PartsNode, other: PartsNode): string[] =>
  [...one.parts.keys()].filter((name) => other.parts.has(name));
