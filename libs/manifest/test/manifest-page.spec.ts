import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { manifestJsonSchema, REVIEW_COMPONENTS, ReviewPacketSchema } from '../src/index.js';

/** What the page reads of a schema. */
interface Schema {
  type?: string | string[];
  description?: string;
  examples?: unknown[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  oneOf?: Schema[];
}

/** The reference of the manifest, from its JSON Schema: every key with its path, type and meaning. */
function manifestPage(): string {
  const { properties = {}, required = [] } = manifestJsonSchema as Schema;
  const sections = Object.entries(properties).filter(([, schema]) => isNested(schema));
  const plain = Object.entries(properties).filter(([, schema]) => !isNested(schema));
  return `${[
    '# Manifest',
    'The keys of `app.json`, manifest version 1. `GET /api/marketplace/manifest-schema` is the same as a JSON Schema, for ' +
      'editors. The schema covers shape only; the certification checks cover limits and meaning. A key that is not listed is refused.',
    '## Head',
    table(plain.map(([name, schema]) => row(name, schema, required.includes(name)))),
    ...sections.flatMap(([name, schema]) => [
      `## \`${name}\``,
      table([row(name, schema, required.includes(name)), ...rowsBelow(name, schema)]),
    ]),
    '## Review packet',
    'What operators receive in addition to the package (`review-packet.json`). Its content is not prescribed.',
    table(REVIEW_COMPONENTS.map((name) => row(name, ReviewPacketSchema.properties[name] as Schema, true))),
  ].join('\n\n')}\n`;
}

const isNested = (schema: Schema): boolean => rowsBelow('', schema).length > 0;

/** The keys inside of a schema, lists and alternatives included. */
function rowsBelow(path: string, { properties = {}, required = [], items, oneOf }: Schema): string[] {
  const own = Object.entries(properties).flatMap(([name, schema]) => {
    const at = `${path}.${name}`;
    return [row(at, schema, required.includes(name)), ...rowsBelow(at, schema)];
  });
  const alternatives = (oneOf ?? []).flatMap((branch) => {
    const { type, ...others } = branch.properties ?? {};
    return rowsBelow(`${path}(${type?.const})`, { ...branch, properties: others });
  });
  return [...own, ...alternatives, ...(items ? rowsBelow(`${path}[]`, items) : [])];
}

function row(path: string, schema: Schema, isRequired: boolean): string {
  const { description, examples, enum: values, const: constant, default: fallback, minLength, maxLength } = schema;
  const notes = [
    description,
    values && `One of ${values.map((value) => `\`${value}\``).join(', ')}.`,
    constant !== undefined && `Always \`${constant}\`.`,
    fallback !== undefined && `Default \`${fallback}\`.`,
    maxLength !== undefined && `${minLength ?? 0} to ${maxLength} characters.`,
    examples && `Example: \`${JSON.stringify(examples[0])}\``,
  ];
  const cells = [`\`${path}\``, typeOf(schema), isRequired ? 'yes' : '', notes.filter(Boolean).join(' ')];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function typeOf({ type, items, oneOf, enum: values, const: constant }: Schema): string {
  if (oneOf) return `one of ${oneOf.map(({ properties }) => `\`${properties?.type?.const}\``).join(', ')}`;
  if (type === 'array') return `list of ${items ? typeOf(items) : 'anything'}`;
  if (type) return [type].flat().join(' or ');
  return values || constant !== undefined ? typeof (values?.[0] ?? constant) : 'anything';
}

const table = (rows: readonly string[]): string =>
  ['| key | type | required | |', '|---|---|---|---|', ...rows].join('\n');

const FOLDER = path.resolve(import.meta.dirname, '../../../docs/reference');

it('the reference of the manifest has every key of the schema (npm run docs -- manifest writes it)', async () => {
  const page = manifestPage();
  if (process.env.WRITE_DOCS) {
    await mkdir(FOLDER, { recursive: true });
    await writeFile(path.join(FOLDER, 'manifest.md'), page);
  }
  const keys = new Set<string>();
  JSON.stringify(manifestJsonSchema, (key, value) => {
    if (key === 'properties') for (const name of Object.keys(value)) keys.add(name);
    return value;
  });
  const listed = new Set([...page.matchAll(/^\| `(?:.*[.)])?(\$?\w+)` \|/gm)].map(([, name]) => name));
  // `type` of triggers and actions names the alternative.
  expect([...keys].filter((name) => !listed.has(name))).toEqual([]);
  expect(page).not.toMatch(/undefined|\[object/);
});
