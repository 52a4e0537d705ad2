import { readFile } from 'node:fs/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { inRoot } from '../root.mjs';
import { unreadFields } from './unread-fields.mjs';

/** @typedef {import('./render.mjs').Manifest} Manifest */

/** @typedef {((data: unknown) => boolean) & { errors?: { instancePath: string, message?: string, keyword?: string, params?: object }[] | null }} Validator */

/** What checks an object: `exact` when the schema itself refuses unknown fields. */
/** @typedef {{ validate: Validator, exact: boolean }} Schema */

/** Groups whose schemas a package carries, with how it names its modules. The group of core objects is the empty text. */
const PACKAGES = [
  {
    matches: /^(?:|apps|autoscaling|batch|policy|[a-z.]+\.k8s\.io)$/,
    except: 'gateway.networking.k8s.io',
    from: 'kubernetes-models',
  },
  { matches: /^gateway\.networking\.k8s\.io$/, from: '@kubernetes-models/gateway-api' },
  { matches: /^cert-manager\.io$/, from: '@kubernetes-models/cert-manager' },
];

/** Kinds whose operators publish no package: our own schemas of the fields we use. */
const OWN = {
  'postgresql.cnpg.io/v1/Cluster': 'cloudnative-pg-cluster.json',
  'postgresql.cnpg.io/v1/ScheduledBackup': 'cloudnative-pg-scheduled-backup.json',
  'barmancloud.cnpg.io/v1/ObjectStore': 'barman-object-store.json',
  'cilium.io/v2/CiliumNetworkPolicy': 'cilium-network-policy.json',
  'external-secrets.io/v1/ExternalSecret': 'external-secret.json',
  'gateway.nginx.org/v1alpha1/ClientSettingsPolicy': 'nginx-client-settings-policy.json',
};

/** @type {Map<string, Promise<Schema | undefined>>} */
const loaded = new Map();

/**
 * What is wrong with an object by the schema of its version: wrong types, missing fields, and fields that do not exist.
 * @param {Manifest} manifest
 * @returns {Promise<string[]>} a sentence for each problem
 */
export async function schemaProblems(manifest) {
  const name = `${manifest.apiVersion}/${manifest.kind}`;
  if (!loaded.has(name)) loaded.set(name, loadSchema(manifest.apiVersion, manifest.kind));
  const schema = await loaded.get(name);
  if (!schema) return [`${name} has no schema`];
  const { validate, exact } = schema;
  const { result: isValid, unread } = unreadFields(manifest, (data) => validate(data));
  const problems = isValid
    ? []
    : (validate.errors ?? []).map((error) => `${error.instancePath || '/'} ${describe(error)}`);
  return exact ? problems : [...problems, ...unread.map((path) => `${path} is not a field of ${name}`)];
}

/** @param {{ message?: string, keyword?: string, params?: object }} error */
const describe = ({ message, keyword, params }) => message ?? `${keyword} ${JSON.stringify(params)}`;

/**
 * @param {string} apiVersion
 * @param {string} kind
 * @returns {Promise<Schema | undefined>}
 */
async function loadSchema(apiVersion, kind) {
  const own = Object.entries(OWN).find(([name]) => name === `${apiVersion}/${kind}`)?.[1];
  if (own) return { validate: await compileOwn(own), exact: true };
  const [version, group = ''] = apiVersion.split('/').reverse();
  const source = PACKAGES.find(({ matches, except }) => matches.test(group) && group !== except)?.from;
  if (!source) return undefined;
  const model = await import(`${source}/${group === '' ? '' : `${group}/`}${version}/${kind}`);
  return { validate: await validatorOf(model[kind]), exact: false };
}

/**
 * The classes of these packages throw the first problem; their validators list them all.
 * @param {{ prototype: { validate: () => void } }} model
 * @returns {Promise<Validator>}
 */
async function validatorOf(model) {
  /** @type {Validator} */
  const validate = (data) => {
    validate.errors = [];
    try {
      model.prototype.validate.call(data);
      return true;
    } catch (error) {
      const { errors, message } = /** @type {Error & { errors?: Validator['errors'] }} */ (error);
      validate.errors = errors ?? [{ instancePath: '', message }];
      return false;
    }
  };
  return validate;
}

/** @param {string} file @returns {Promise<Validator>} */
async function compileOwn(file) {
  const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true });
  const text = await readFile(inRoot('scripts', 'kubernetes', 'schemas', file), 'utf8');
  return /** @type {Validator} */ (ajv.compile(JSON.parse(text)));
}
