import { isDtoPart, type JsonSchema, type SchemaPart, type StringFormat, schemaOf } from '../dto/schema.js';

const BY_FORMAT: Readonly<Record<StringFormat, string>> = {
  email: 'ada@example.com',
  uuid: '0199c0de-0000-7000-8000-000000000001',
  date: '2026-11-22',
  'date-time': '2026-11-22T09:30:00.000Z',
  uri: 'https://example.com/',
};

/** How deep classes that contain themselves are followed. */
const MAX_DEPTH = 4;

/**
 * An example of a schema: the example that a field declares, else its default, else the plainest value of its type. A text
 * with a pattern needs an example of its own; the test of the documents says where one is missing.
 */
export function exampleOf(part: SchemaPart, depth = 0): unknown {
  const schema = isDtoPart(part) ? schemaOf(part.dto()) : part;
  if (!schema) return {};
  if (schema.examples?.length) return schema.examples[0];
  if (schema.default !== undefined) return schema.default;
  if (schema.enum) return schema.enum[0];
  const [type] = [schema.type ?? 'object'].flat();
  switch (type) {
    case 'string':
      return schema.format
        ? BY_FORMAT[schema.format]
        : 'text'.padEnd(schema.minLength ?? 0, ' text').slice(0, schema.maxLength);
    case 'integer':
    case 'number':
      return Math.max(schema.minimum ?? 1, Math.min(1, schema.maximum ?? 1));
    case 'boolean':
      return true;
    case 'array':
      return schema.items && depth < MAX_DEPTH ? [exampleOf(schema.items, depth + 1)] : [];
    case 'null':
      return null;
    default:
      return exampleOfObject(schema, depth);
  }
}

function exampleOfObject({ properties = {}, required = [] }: JsonSchema, depth: number): Record<string, unknown> {
  const shown = Object.entries(properties).filter(([name]) => depth < MAX_DEPTH || required.includes(name));
  return Object.fromEntries(shown.map(([name, member]) => [name, exampleOf(member, depth + 1)]));
}
