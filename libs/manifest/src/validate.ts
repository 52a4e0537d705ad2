import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { exampleText } from './example.js';
import { pointer } from './json-pointer.js';
import { keyProblem, MAX_FINDINGS, type Problem, suggestion } from './problem.js';
import { discriminatedSchema } from './schema/manifest.js';

const ajv = new Ajv2020({ allErrors: true, verbose: true, discriminator: true, strict: true, allowUnionTypes: true });
const validateManifest = ajv.compile(discriminatedSchema);

/** The problems of a manifest's shape, without duplicates. @param manifest a JSON value within the size limits */
export function* shapeProblems(manifest: unknown): Generator<Problem> {
  if (validateManifest(manifest)) return;
  const reported = new Set<string>();
  // Read before the first is yielded: the validator is shared, and the caller may pause in between.
  const errors = validateManifest.errors ?? [];
  for (const error of errors) {
    const problem = describe(error);
    const text = `${problem.pointer} ${problem.message}`;
    if (reported.has(text)) continue;
    reported.add(text);
    yield problem;
  }
}

function describe(error: ErrorObject): Problem {
  const at = error.instancePath;
  const params = error.params as Record<string, unknown>;
  switch (error.keyword) {
    case 'additionalProperties': {
      const key = String(params.additionalProperty);
      const known = Object.keys(propertiesOf(error));
      return keyProblem(at + pointer(key), `Unknown key "${key}".${suggestion(key, known)}`);
    }
    case 'required': {
      const key = String(params.missingProperty);
      const example = exampleText(key, propertiesOf(error)[key]);
      return { pointer: at, message: `Missing key "${key}".${example}` };
    }
    case 'type':
      return {
        pointer: at,
        message: `This must be ${typeNames(params.type)}.${exampleText(undefined, error.parentSchema)}`,
      };
    case 'enum': {
      const allowed = (params.allowedValues as unknown[]).map(String);
      const near = typeof error.data === 'string' ? suggestion(error.data, allowed) : '';
      return { pointer: at, message: `This must be one of ${allowed.join(', ')}.${near}` };
    }
    case 'const':
      return { pointer: at, message: `This must be ${JSON.stringify(params.allowedValue)}.` };
    case 'pattern':
      return {
        pointer: at,
        message: `Invalid format.${patternHint(at)}${exampleText(undefined, error.parentSchema)}`,
      };
    case 'discriminator': {
      const branches = (error.parentSchema as { oneOf?: { properties?: { type?: { const?: string } } }[] }).oneOf ?? [];
      const types = branches.map((branch) => branch.properties?.type?.const ?? '');
      const given = typeof params.tagValue === 'string' ? suggestion(params.tagValue, types) : '';
      return { pointer: `${at}/type`, message: `This must be one of ${types.join(', ')}.${given}` };
    }
    case 'minLength':
      if (params.limit === 1) return { pointer: at, message: 'This string must not be empty.' };
      return { pointer: at, message: `This string must be ${String(params.limit)} characters or more.` };
    case 'maxLength':
      return { pointer: at, message: `This string must be ${String(params.limit)} characters or fewer.` };
    default:
      return { pointer: at, message: `This ${error.message ?? 'is not valid'}.` };
  }
}

function propertiesOf({ parentSchema }: ErrorObject): Readonly<Record<string, unknown>> {
  return (parentSchema as { properties?: Record<string, unknown> } | undefined)?.properties ?? {};
}

function patternHint(at: string): string {
  if (at === '/version') return ' It must be a semantic version: three numbers separated by dots.';
  if (at === '/key') return ' It must consist of lower-case words joined by hyphens.';
  return at.endsWith('/apiName')
    ? ' Use lower-case letters, digits, and underscores, starting with a letter, up to 40 characters.'
    : '';
}

const ARTICLES: Record<string, string> = {
  object: 'an object',
  array: 'a list',
  string: 'a string',
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
 * The problems of a JSON Schema 2020-12 in a package (the input of a tool), no more than a result shows. The schema is
 * checked against the meta-schema but not compiled, so nothing in it runs.
 */
export function schemaProblems(schema: Readonly<Record<string, unknown>>): string[] {
  // Whatever draft the schema names, the platform treats it as 2020-12.
  const { $schema: _draft, ...body } = schema;
  if (ajv.validateSchema(body) === true) return [];
  return (ajv.errors ?? [])
    .slice(0, MAX_FINDINGS + 1)
    .map((error) => `${error.instancePath || '/'} ${error.message ?? 'is not valid'}`);
}
