import { pointer, pointerSteps } from './json-pointer.js';
import type { Problem } from './problem.js';

type Schema = Readonly<Record<string, unknown>>;

/** Keywords of JSON Schema 2020-12 that hold a schema, a list of schemas, and schemas by name. */
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

/**
 * What of a schema that matches the meta-schema could not be used all the same: patterns that do not compile, and
 * references that lead nowhere or out of the package. Pointers begin at the schema.
 */
export function* unusableParts(root: Schema): Generator<Problem> {
  const anchors = new Set<string>();
  for (const [{ $anchor, $dynamicAnchor }] of subschemas(root, '')) {
    for (const name of [$anchor, $dynamicAnchor]) if (typeof name === 'string') anchors.add(name);
  }
  for (const [schema, at] of subschemas(root, '')) {
    yield* patternProblems(schema, at);
    for (const keyword of ['$ref', '$dynamicRef']) {
      const reference = schema[keyword];
      if (typeof reference !== 'string' || leadsSomewhere(reference, root, anchors)) continue;
      const message = reference.startsWith('#')
        ? `The reference "${reference}" leads nowhere in this schema.`
        : `The reference "${reference}" leads out of the package; a schema refers to its own parts only.`;
      yield { pointer: `${at}/${keyword}`, message };
    }
  }
}

/** A schema and all schemas inside it, each with its place. What stands where data stands is none. */
function* subschemas(schema: unknown, at: string): Generator<[schema: Schema, at: string]> {
  if (!isObject(schema)) return;
  yield [schema, at];
  for (const keyword of SCHEMA_KEYWORDS) yield* subschemas(schema[keyword], `${at}/${keyword}`);
  for (const keyword of LIST_KEYWORDS) {
    const list = schema[keyword];
    if (!Array.isArray(list)) continue;
    for (const [i, item] of list.entries()) yield* subschemas(item, `${at}/${keyword}/${i}`);
  }
  for (const keyword of MAP_KEYWORDS) {
    const map = schema[keyword];
    if (!isObject(map)) continue;
    for (const [name, item] of Object.entries(map)) yield* subschemas(item, `${at}/${keyword}${pointer(name)}`);
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

/** Whether a pattern can be read, with the Unicode flag or, as many are written, without; it is never run. */
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

/** Whether a reference is to the schema itself, one of its anchors or a place in it. */
function leadsSomewhere(reference: string, root: Schema, anchors: ReadonlySet<string>): boolean {
  if (!reference.startsWith('#')) return false;
  const fragment = decoded(reference.slice(1));
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

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
