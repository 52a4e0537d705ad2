/** A part of a package as it is compared: a value that is compared as a whole, or parts with names. */
export type Node = ValueNode | PartsNode;

export interface ValueNode {
  readonly json: unknown;
  readonly parts?: undefined;
}

export interface PartsNode {
  /** As it was written. */
  readonly json: unknown;
  readonly parts: ReadonlyMap<string, Node>;
  /** Whether it is a list: without it, it is as if it were empty. */
  readonly list: boolean;
  /** Whether the order of the parts says something. */
  readonly ordered: boolean;
}

/** How a part of a package is compared. Returns undefined for what says no more than its absence. */
export type Shape = (json: unknown) => Node | undefined;

type Json = Readonly<Record<string, unknown>>;

const isObject = (json: unknown): json is Json => typeof json === 'object' && json !== null && !Array.isArray(json);

/** Compared as a whole. */
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

export interface ListOptions {
  /** Whether the order of the items says something. */
  readonly ordered?: boolean;
  /** The member that a text in the place of an item stands for. */
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

/** Whether two JSON values are equal, whatever the order of members. */
export function isSameJson(one: unknown, other: unknown): boolean {
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
