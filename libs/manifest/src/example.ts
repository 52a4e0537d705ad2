/** The part of a JSON Schema that is used to build an example. */
interface ExampleSchema {
  readonly type?: string | readonly string[];
  readonly examples?: readonly unknown[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly items?: ExampleSchema;
  readonly oneOf?: readonly ExampleSchema[];
  readonly properties?: Readonly<Record<string, ExampleSchema>>;
  readonly required?: readonly string[];
}

/** Longest example that is still readable in one line. */
const LONGEST_EXAMPLE = 160;

/**
 * A value that a schema accepts: its own example, otherwise one built from its parts, with only the required keys.
 *
 * @returns undefined when the schema says too little
 */
export function exampleOf(schema: ExampleSchema): unknown {
  const [own] = schema.examples ?? [];
  if (own !== undefined) return own;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.oneOf?.[0]) return exampleOf(schema.oneOf[0]);
  const [type] = [schema.type].flat();
  if (type === 'boolean') return true;
  if (type === 'number' || type === 'integer') return 1;
  if (type === 'array') {
    const item = schema.items && exampleOf(schema.items);
    return item === undefined ? undefined : [item];
  }
  return type === 'object' ? exampleObject(schema) : undefined;
}

function exampleObject({ properties = {}, required = [] }: ExampleSchema): unknown {
  const example: Record<string, unknown> = {};
  for (const key of required) {
    const member = exampleOf(properties[key] ?? {});
    if (member === undefined) return undefined;
    example[key] = member;
  }
  return example;
}

/** ` Example: "version": "1.0.0".`, or an empty string when no example fits into a line. */
export function exampleText(key: string | undefined, schema: unknown): string {
  if (typeof schema !== 'object' || schema === null) return '';
  const example = exampleOf(schema);
  if (example === undefined) return '';
  const text = (key === undefined ? '' : `${JSON.stringify(key)}: `) + spaced(example);
  return text.length > LONGEST_EXAMPLE ? '' : ` Example: ${text}.`;
}

/** JSON on one line, with spaces as people write them. */
function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${spaced(member)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}
