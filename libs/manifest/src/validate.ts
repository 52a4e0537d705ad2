import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { pointer } from './json-pointer.js';
import { compareProblems, type Problem } from './problem.js';
import { manifestJsonSchema } from './schema/manifest.js';
import { suggestion } from './suggestion.js';

/** More problems than a person reads at once; what follows is dropped. */
const MAX_PROBLEMS = 100;

const ajv = new Ajv2020({ allErrors: true, verbose: true, discriminator: true, strict: true, allowUnionTypes: true });
const validateManifest = ajv.compile(manifestJsonSchema);

/**
 * The problems of a manifest's shape, in the order of their pointers.
 *
 * @param manifest an admitted JSON value
 */
export function shapeProblems(manifest: unknown): Problem[] {
  if (validateManifest(manifest)) return [];
  const problems = (validateManifest.errors ?? []).slice(0, MAX_PROBLEMS).map(describe);
  const unique = new Map(problems.map((problem) => [`${problem.pointer} ${problem.message}`, problem]));
  return [...unique.values()].sort(compareProblems);
}

function describe(error: ErrorObject): Problem {
  const at = error.instancePath;
  const params = error.params as Record<string, unknown>;
  switch (error.keyword) {
    case 'additionalProperties':
    case 'unevaluatedProperties': {
      const key = String(params.additionalProperty);
      const known = Object.keys((error.parentSchema as { properties?: object } | undefined)?.properties ?? {});
      return {
        pointer: at + pointer(key),
        message: `"${key}" is not a key that is known here.${suggestion(key, known)}`,
      };
    }
    case 'required':
      return { pointer: at, message: `The key "${String(params.missingProperty)}" is missing.` };
    case 'type':
      return { pointer: at, message: `This must be ${typeNames(params.type)}.` };
    case 'enum': {
      const allowed = (params.allowedValues as unknown[]).map(String);
      const near = typeof error.data === 'string' ? suggestion(error.data, allowed) : '';
      return { pointer: at, message: `This must be one of ${allowed.join(', ')}.${near}` };
    }
    case 'const':
      return { pointer: at, message: `This must be ${JSON.stringify(params.allowedValue)}.` };
    case 'pattern':
      return { pointer: at, message: `This must match ${String(params.pattern)}.${patternHint(at)}` };
    case 'discriminator': {
      const branches = (error.parentSchema as { oneOf?: { properties?: { type?: { const?: string } } }[] }).oneOf ?? [];
      const types = branches.map((branch) => branch.properties?.type?.const ?? '');
      const given = typeof params.tagValue === 'string' ? suggestion(params.tagValue, types) : '';
      return { pointer: `${at}/type`, message: `This must be one of ${types.join(', ')}.${given}` };
    }
    default:
      return { pointer: at, message: `This ${error.message ?? 'is not valid'}.` };
  }
}

function patternHint(at: string): string {
  if (at === '/version') return ' It is a semantic version such as 1.0.0.';
  if (at === '/key') return ' It is lower-case words joined by hyphens, such as acme-site-visits.';
  return at.endsWith('/apiName')
    ? ' It is lower-case letters, digits and underscores, at most 40, such as site_visit.'
    : '';
}

const ARTICLES: Record<string, string> = {
  object: 'an object',
  array: 'a list',
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
};

function typeNames(type: unknown): string {
  return [type]
    .flat()
    .map((name) => ARTICLES[String(name)] ?? String(name))
    .join(' or ');
}

/**
 * The problems of a JSON Schema 2020-12 that a package carries (the input of a tool). The schema is checked
 * against the meta-schema and not compiled, so nothing of it runs.
 */
export function schemaProblems(schema: Readonly<Record<string, unknown>>): string[] {
  // Whatever draft the schema names, the platform reads it as 2020-12.
  const { $schema: _draft, ...body } = schema;
  if (ajv.validateSchema(body) === true) return [];
  return (ajv.errors ?? []).map((error) => `${error.instancePath || '/'} ${error.message ?? 'is not valid'}`);
}
