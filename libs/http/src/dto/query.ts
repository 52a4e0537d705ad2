import { type JsonSchema, type JsonType, resolvePart } from './schema.js';

/**
 * Converts query parameters to their declared types. A value of another type stays text, so that validation reports it.
 * A parameter that is declared as a list may occur once or repeatedly.
 */
export function coerceQuery(schema: JsonSchema, query: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { properties = {} } = schema;
  const values: Record<string, unknown> = Object.create(null);
  for (const name of Object.keys(query)) {
    const part = Object.hasOwn(properties, name) ? properties[name] : undefined;
    values[name] = part ? coerce(resolvePart(part), query[name]) : query[name];
  }
  return values;
}

function coerce(schema: JsonSchema, value: unknown): unknown {
  if (schema.type === 'string') return value;
  const types: JsonType[] = schema.type === undefined ? [] : [schema.type].flat();
  if (types.includes('array')) {
    const { items } = schema;
    return [value].flat().map((item) => (items ? coerce(resolvePart(items), item) : item));
  }
  if (typeof value !== 'string') return value;
  if ((types.includes('integer') || types.includes('number')) && /^-?\d+(\.\d+)?$/.test(value)) return Number(value);
  if (types.includes('boolean') && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}
