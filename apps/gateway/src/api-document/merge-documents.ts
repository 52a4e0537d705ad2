import { API_INFO, SECURITY_SCHEMES } from '@crm/http';

type Json = Record<string, unknown>;

export interface OpenApi extends Json {
  paths?: Record<string, Json>;
  tags?: { name: string; description: string }[];
  components?: Json & { schemas?: Record<string, unknown>; examples?: Record<string, unknown> };
}

const REFERENCE = '#/components/schemas/';

/**
 * Merges the documents of services. Where schemas of one name differ, later ones get the name of their service in front;
 * equal ones become one.
 * @param belongs whether requests for a path go to this service
 */
export function mergeDocuments(
  documents: readonly (readonly [name: string, document: OpenApi])[],
  baseUrl: string,
  belongs: (path: string, name: string) => boolean,
): OpenApi {
  const paths: Record<string, Json> = {};
  const schemas: Record<string, unknown> = {};
  const examples: Record<string, unknown> = {};
  const tags = new Map<string, { name: string; description: string }>();
  for (const [name, document] of documents) {
    const own = document.components?.schemas ?? {};
    const clashing = new Set(
      Object.keys(own).filter(
        (key) => Object.hasOwn(schemas, key) && JSON.stringify(schemas[key]) !== JSON.stringify(own[key]),
      ),
    );
    const rename = (key: string): string => (clashing.has(key) ? `${pascalCase(name)}${key}` : key);
    for (const [key, schema] of Object.entries(own)) schemas[rename(key)] = renameReferences(schema, rename);
    // Refusals come from one catalogue of errors, so examples of one name are the same.
    Object.assign(examples, document.components?.examples);
    for (const tag of document.tags ?? []) tags.set(tag.name, tag);
    for (const [path, item] of Object.entries(document.paths ?? {})) {
      if (belongs(path, name)) paths[path] = renameReferences(item, rename) as Json;
    }
  }
  return {
    openapi: '3.1.1',
    info: { title: 'CRM developer platform', ...API_INFO },
    servers: [{ url: baseUrl }],
    tags: [...tags.values()].sort((left, right) => left.name.localeCompare(right.name)),
    paths: Object.fromEntries(Object.entries(paths).sort(([left], [right]) => left.localeCompare(right))),
    components: {
      schemas,
      examples,
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

function renameReferences(value: unknown, rename: (key: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => renameReferences(item, rename));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      key === '$ref' && typeof member === 'string' && member.startsWith(REFERENCE)
        ? REFERENCE + rename(member.slice(REFERENCE.length))
        : renameReferences(member, rename),
    ]),
  );
}

const pascalCase = (name: string): string =>
  name.replace(/(?:^|-)(\w)/g, (_match, letter: string) => letter.toUpperCase());
