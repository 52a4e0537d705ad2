import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { inRoot } from '../root.mjs';

/** The committed types. */
export const API_TYPES = inRoot('libs', 'api-client', 'src', 'generated', 'api.ts');

/** Calls of the pages; the types of the whole API would be fifteen times as long. */
const PATHS = /^\/api\/(?:auth\/me|crm\/(?:leads|contacts|companies|opportunities|tasks|custom)(?:\/.*)?)$/;
const ELSEWHERE = /\/apps(?:\/|$)/;
/** What a type cannot say, or says already. */
const NOT_TYPES = ['example', 'examples', 'description', 'summary'];

const HEAD = '// Made from the OpenAPI of the gateway: node scripts/api-types.mjs (e2e/api-types.spec.ts compares).\n';

/**
 * Makes the types of libs/api-client from the document of a gateway.
 * @param {string} document JSON text of the OpenAPI document
 * @returns {Promise<string>} TypeScript
 */
export async function apiTypes(document) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'crm-api-types-'));
  try {
    const source = path.join(folder, 'openapi.json');
    const target = path.join(folder, 'api.ts');
    await writeFile(source, JSON.stringify(reduced(JSON.parse(document))));
    // As a program, because it needs a TypeScript of its own: it crashes on the one that checks this repository.
    const program = inRoot('libs', 'api-client', 'node_modules', '.bin', 'openapi-typescript');
    await promisify(execFile)(program, [source, '--output', target, '--root-types', '--root-types-no-schema-prefix']);
    return HEAD + (await readFile(target, 'utf8'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * The part of a document that types are made of: some calls, their successful answers, and the schemas that those name.
 * Refusals all have the same shape.
 * @param {any} document
 */
function reduced(document) {
  const paths = Object.fromEntries(
    Object.entries(document.paths)
      .filter(([name]) => PATHS.test(name) && !ELSEWHERE.test(name))
      .map(([name, item]) => [name, withoutRefusals(item)]),
  );
  const schemas = document.components?.schemas ?? {};
  const named = namesIn(JSON.stringify(paths), schemas);
  return {
    openapi: document.openapi,
    info: { title: document.info.title, version: document.info.version },
    paths: withoutTexts(paths),
    components: { schemas: withoutTexts(Object.fromEntries([...named].sort().map((name) => [name, schemas[name]]))) },
  };
}

/** @param {any} item */
const withoutRefusals = (item) =>
  Object.fromEntries(
    Object.entries(item).map(([method, operation]) => [
      method,
      operation.responses
        ? {
            ...operation,
            security: undefined,
            responses: Object.fromEntries(
              Object.entries(operation.responses)
                .filter(([status]) => status.startsWith('2'))
                .map(([status, answer]) => [status, { ...answer, headers: undefined }]),
            ),
          }
        : operation,
    ]),
  );

/**
 * @param {string} text
 * @param {Record<string, unknown>} schemas
 * @param {Set<string>} found
 * @returns {Set<string>} the schemas that the text names, and those that these name
 */
function namesIn(text, schemas, found = new Set()) {
  for (const [, name = ''] of text.matchAll(/#\/components\/schemas\/([\w.-]+)/g)) {
    if (found.has(name)) continue;
    found.add(name);
    namesIn(JSON.stringify(schemas[name] ?? null), schemas, found);
  }
  return found;
}

/** @param {any} value @param {string} [parent] @returns {any} */
function withoutTexts(value, parent = '') {
  if (Array.isArray(value)) return value.map((one) => withoutTexts(one, parent));
  if (typeof value !== 'object' || value === null) return value;
  // A field may be called `description`.
  const isText = (/** @type {string} */ name) => NOT_TYPES.includes(name) && parent !== 'properties';
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !isText(name))
      .map(([name, one]) => [name, withoutTexts(one, name)]),
  );
}
