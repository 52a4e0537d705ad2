import { type JsonSchema, type JsonType, resolvePart } from './schema.js';

type Coercion = (value: unknown) => unknown;

const NUMBER = /^-?\d+(\.\d+)?$/;

/** Of each schema, the parameters whose text is converted. */
const coercions = new WeakMap<JsonSchema, ReadonlyMap<string, Coercion>>();

/**
 * Converts query parameters to their declared types. A value of another type stays text, so that validation reports it.
 * A parameter that is declared as a list may occur once or repeatedly.
 */
export function coerceQuery(schema: JsonSchema, query: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const byName = coercionsOf(schema);
  const values: Record<string, unknown> = Object.create(null);
  for (const name of Object.keys(query)) {
    const coerce = byName.get(name);
    values[name] = coerce ? coerce(query[name]) : query[name];
  }
  return values;
}

function coercionsOf(schema: JsonSchema): ReadonlyMap<string, Coercion> {
  let known = coercions.get(schema);
  if (!known) {
    known = new Map(
      Object.entries(schema.properties ?? {}).flatMap(([name, part]) => {
        const coerce = coercionOf(resolvePart(part));
        return coerce ? [[name, coerce] as const] : [];
      }),
    );
    coercions.set(schema, known);
  }
  return known;
}

/** @returns undefined where a value stays as it is */
function coercionOf(schema: JsonSchema): Coercion | undefined {
  const types: JsonType[] = schema.type === undefined ? [] : [schema.type].flat();
  if (types.includes('array')) {
    const ofItem = schema.items && coercionOf(resolvePart(schema.items));
    return (value) => (ofItem ? [value].flat().map(ofItem) : [value].flat());
  }
  const isNumeric = types.includes('integer') || types.includes('number');
  const isBoolean = types.includes('boolean');
  if (!isNumeric && !isBoolean) return undefined;
  return (value) => {
    if (typeof value !== 'string') return value;
    if (isNumeric && NUMBER.test(value)) return Number(value);
    if (isBoolean && (value === 'true' || value === 'false')) return value === 'true';
    return value;
  };
}
