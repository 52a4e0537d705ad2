type Json = Record<string, unknown>;

export interface OpenApi extends Json {
  paths?: Record<string, Json>;
  components?: Json & { schemas?: Record<string, unknown> };
}

const REFERENCE = '#/components/schemas/';

/**
 * Merges the documents of services. Schemas of one name that differ get the service's name in front; those that are the
 * same stay one.
 * @param belongs whether the public sees a path of a service at this address
 */
export function mergeDocuments(
  documents: readonly (readonly [name: string, document: OpenApi])[],
  baseUrl: string,
  belongs: (path: string, name: string) => boolean,
): OpenApi {
  const paths: Record<string, Json> = {};
  const schemas: Record<string, unknown> = {};
  for (const [name, document] of documents) {
    const own = document.components?.schemas ?? {};
    const clashing = new Set(
      Object.keys(own).filter(
        (key) => Object.hasOwn(schemas, key) && JSON.stringify(schemas[key]) !== JSON.stringify(own[key]),
      ),
    );
    const rename = (key: string): string => (clashing.has(key) ? `${pascalCase(name)}${key}` : key);
    for (const [key, schema] of Object.entries(own)) schemas[rename(key)] = renameReferences(schema, rename);
    for (const [path, item] of Object.entries(document.paths ?? {})) {
      if (belongs(path, name)) paths[path] = renameReferences(item, rename) as Json;
    }
  }
  return {
    openapi: '3.1.1',
    info: { title: 'CRM developer platform', version: '0.1.0', license: { name: 'Apache-2.0' } },
    servers: [{ url: baseUrl }],
    paths: Object.fromEntries(Object.entries(paths).sort(([left], [right]) => left.localeCompare(right))),
    components: {
      schemas,
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
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
