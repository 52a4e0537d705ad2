import type { JsonSchema, JsonType } from './schema.js';
import { resolvePart } from './validate.js';

/**
 * Query parameters as values of their declared types: what is not of the type stays text, so that validation names it.
 * A parameter that is declared as a list may be given once or repeated.
 */
export function coerceQuery(schema: JsonSchema, query: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => {
      const part = schema.properties && Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
      return [name, part ? coerce(resolvePart(part), value) : value];
    }),
  );
}

function coerce(schema: JsonSchema, value: unknown): unknown {
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
