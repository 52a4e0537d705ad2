import { discriminatedSchema, type Manifest } from './schema/manifest.js';

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

/** A value of which any part may be missing, because values of a wrong type are left out. Lists keep their positions. */
export type Draft<T> = unknown extends T
  ? T
  : T extends readonly (infer U)[]
    ? (Draft<U> | undefined)[]
    : T extends object
      ? { [K in keyof T]?: Draft<T[K]> }
      : T;

export type ManifestDraft = Draft<Manifest>;

interface JsonSchema {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, JsonSchema>;
  additionalProperties?: boolean | JsonSchema;
  items?: JsonSchema;
  oneOf?: JsonSchema[];
  discriminator?: { propertyName: string };
}

/**
 * The manifest without the values of a wrong type, so that the semantic checks run in spite of mistakes elsewhere.
 * Patterns are ignored: a name that violates them is still a name.
 */
export function draftOf(manifest: unknown): ManifestDraft {
  return (prune(discriminatedSchema as JsonSchema, manifest) ?? {}) as ManifestDraft;
}

function prune(schema: JsonSchema, value: unknown): unknown {
  if (value === null || value === undefined) return hasConstraint(schema) ? undefined : value;
  if (schema.const !== undefined) return value === schema.const ? value : undefined;
  if (schema.enum) return schema.enum.includes(value) ? value : undefined;
  if (schema.type !== undefined && !hasType(value, schema.type)) return undefined;
  if (Array.isArray(value)) return schema.items ? value.map((item) => prune(schema.items!, item)) : value;
  if (typeof value === 'object') return pruneObject(schema, value as Record<string, unknown>);
  return value;
}

function pruneObject(schema: JsonSchema, value: Record<string, unknown>): unknown {
  if (schema.oneOf && schema.discriminator) {
    const name = schema.discriminator.propertyName;
    const branch = schema.oneOf.find((one) => one.properties?.[name]?.const === value[name]);
    return branch && prune(branch, value);
  }
  const rest = schema.additionalProperties;
  if (!schema.properties && (rest === undefined || rest === true)) return value;
  const result: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const member = value[key];
    const known = schema.properties && Object.hasOwn(schema.properties, key) ? schema.properties[key] : undefined;
    const memberSchema = known ?? (typeof rest === 'object' ? rest : undefined);
    const pruned = memberSchema && prune(memberSchema, member);
    if (pruned !== undefined) result[key] = pruned;
  }
  return result;
}

function hasConstraint(schema: JsonSchema): boolean {
  return schema.type !== undefined || schema.enum !== undefined || schema.const !== undefined;
}

function hasType(value: unknown, type: string | string[]): boolean {
  if (typeof type !== 'string') return type.some((one) => hasType(value, one));
  if (type === 'array') return Array.isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type && !(type === 'object' && Array.isArray(value));
}

/** The members of a list that have the right type, each with its index. */
export function* entriesOf<T>(list: readonly (T | undefined)[] | undefined): Generator<[index: number, item: T]> {
  if (list === undefined) return;
  for (let index = 0; index < list.length; index++) {
    const item = list[index];
    if (item !== undefined) yield [index, item];
  }
}
