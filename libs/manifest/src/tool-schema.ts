import { parseUrl } from '@crm/address-policy';
import { isObject, pointer, pointerSteps } from './json-pointer.js';
import type { Problem } from './problem.js';

type Schema = Readonly<Record<string, unknown>>;

/** Keywords of JSON Schema 2020-12 that contain a schema, a list of schemas, or schemas by name. */
const SCHEMA_KEYWORDS = [
  'items',
  'contains',
  'additionalProperties',
  'propertyNames',
  'unevaluatedItems',
  'unevaluatedProperties',
  'contentSchema',
  'not',
  'if',
  'then',
  'else',
];
const LIST_KEYWORDS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const MAP_KEYWORDS = ['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'];

/** Base of a relative `$id`; nothing is ever fetched. Hosts below `invalid` do not exist (RFC 6761). */
const FALLBACK_BASE = 'https://package.invalid/';

/** Longest address that is resolved; the cost of a reference grows with the length of its base. */
const MAX_ADDRESS = 2_000;

/** A schema with an `$id`, which is the base of the references inside it; the root is one even without an `$id`. */
interface Resource {
  /** Without a fragment; empty for a root without an `$id`. */
  address: string;
  root: Schema;
  anchors: Set<string>;
}

/** A schema, its pointer, and the resource that it belongs to. */
type Subschema = [schema: Schema, at: string, resource: Resource];

/**
 * Finds what makes a schema unusable although it matches the meta-schema: patterns that do not compile, and references
 * that do not resolve or leave the package. Pointers are relative to the schema.
 */
export function* unusableParts(root: Schema): Generator<Problem> {
  const resources = new Map<string, Resource>();
  const all = [...subschemas(root, '', { address: '', root, anchors: new Set() })];
  for (const [{ $anchor, $dynamicAnchor }, , resource] of all) {
    if (!resources.has(resource.address)) resources.set(resource.address, resource);
    for (const name of [$anchor, $dynamicAnchor]) if (typeof name === 'string') resource.anchors.add(name);
  }
  for (const [schema, at, { address }] of all) {
    yield* patternProblems(schema, at);
    for (const keyword of ['$ref', '$dynamicRef']) {
      const reference = schema[keyword];
      if (typeof reference !== 'string') continue;
      const place = addressOf(reference, address);
      const target = place === undefined ? undefined : resources.get(place);
      if (target && resolves(fragmentOf(reference), target)) continue;
      const message = target
        ? `The reference "${reference}" does not resolve in this schema.`
        : `The reference "${reference}" leaves the package; a schema can refer to its own parts only.`;
      yield { pointer: `${at}/${keyword}`, message };
    }
  }
}

/** The address that a reference names, without its fragment; undefined when it is invalid or too long. */
function addressOf(reference: string, base: string): string | undefined {
  const place = reference.split('#', 1)[0] ?? '';
  if (place === '') return base;
  const from = base || FALLBACK_BASE;
  const href = place.length > MAX_ADDRESS ? undefined : parseUrl(place, from)?.href;
  return href !== undefined && href.length > MAX_ADDRESS ? undefined : href;
}

function fragmentOf(reference: string): string {
  return reference.split('#').slice(1).join('#');
}

/** The resource that a schema belongs to: its own when it has an `$id`, otherwise that of the enclosing schema. */
function resourceOf(schema: Schema, outer: Resource): Resource {
  const { $id } = schema;
  const address = typeof $id === 'string' ? addressOf($id, outer.address) : undefined;
  return address === undefined || address === outer.address ? outer : { address, root: schema, anchors: new Set() };
}

/** A schema and all schemas inside it, not values at places for data. */
function* subschemas(schema: unknown, at: string, outer: Resource): Generator<Subschema> {
  if (!isObject(schema)) return;
  const resource = resourceOf(schema, outer);
  yield [schema, at, resource];
  for (const keyword of SCHEMA_KEYWORDS) yield* subschemas(schema[keyword], `${at}/${keyword}`, resource);
  for (const keyword of LIST_KEYWORDS) {
    const list = schema[keyword];
    if (!Array.isArray(list)) continue;
    for (const [i, item] of list.entries()) yield* subschemas(item, `${at}/${keyword}/${i}`, resource);
  }
  for (const keyword of MAP_KEYWORDS) {
    const map = schema[keyword];
    if (!isObject(map)) continue;
    for (const [name, item] of Object.entries(map))
      yield* subschemas(item, `${at}/${keyword}${pointer(name)}`, resource);
  }
}

function* patternProblems({ pattern, patternProperties }: Schema, at: string): Generator<Problem> {
  if (typeof pattern === 'string' && !compiles(pattern)) {
    yield { pointer: `${at}/pattern`, message: 'The pattern is not a regular expression (ECMA-262).' };
  }
  for (const name of Object.keys(isObject(patternProperties) ? patternProperties : {})) {
    if (compiles(name)) continue;
    const message = 'A key of patternProperties is not a regular expression (ECMA-262).';
    yield { pointer: `${at}/patternProperties`, message };
  }
}

/** Returns whether a pattern compiles, with the Unicode flag or, as many are written, without; it is never run. */
function compiles(pattern: string): boolean {
  return ['u', ''].some((flags) => {
    try {
      RegExp(pattern, flags);
      return true;
    } catch (error) {
      if (error instanceof SyntaxError) return false;
      throw error;
    }
  });
}

/** Returns whether a fragment names the resource itself, one of its anchors or a schema inside it. */
function resolves(encoded: string, { root, anchors }: Resource): boolean {
  const fragment = decoded(encoded);
  if (fragment === undefined) return false;
  if (!fragment.startsWith('/')) return fragment === '' || anchors.has(fragment);
  let value: unknown = root;
  for (const step of pointerSteps(fragment)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return false;
    value = (value as Schema)[step];
  }
  return typeof value === 'boolean' || isObject(value);
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}
