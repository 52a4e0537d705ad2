import { SERVICES } from '../../../libs/contracts/src/services.js';
import { environmentProblems, PROCESS_VARIABLES } from '../../deployment/service-variables.mjs';
import { find, nameOf, podOf, workloads } from '../manifests.mjs';

/** @typedef {import('../render.mjs').Manifest} Manifest */
/** @typedef {import('../hand-made-secrets.mjs').HandMadeSecret} HandMadeSecret */

const REFERENCE = /\$\(([A-Z][A-Z0-9_]*)\)/g;

/**
 * Every variable that a service gets is one that it reads, with a value that it accepts; every one that it requires is there.
 * @param {readonly Manifest[]} manifests
 * @param {{ handMade: readonly HandMadeSecret[], stateful: readonly string[] }} context
 * @returns {Promise<string[]>}
 */
export async function variableProblems(manifests, { handMade, stateful }) {
  /** @type {string[]} */
  const found = [];
  // One after the other: Jest cannot load a module of ours twice at the same time.
  for (const workload of workloads(manifests)) {
    const { name } = workload.metadata;
    const service = SERVICES.find((candidate) => candidate === name);
    if (!service && name !== 'migrate') continue;
    const { environment, problems } = environmentOf(workload, manifests, handMade);
    const refused = service
      ? await environmentProblems(service, environment)
      : migrationProblems(environment, stateful);
    found.push(...[...problems, ...refused].map((problem) => `${nameOf(workload)}: ${problem}`));
  }
  return found;
}

/**
 * The environment of the first container with references replaced. A variable that is there to be referred to is not part of
 * it. Secrets have made-up values of the right form.
 * @param {Manifest} workload
 * @param {readonly Manifest[]} manifests
 * @param {readonly HandMadeSecret[]} handMade
 */
export function environmentOf(workload, manifests, handMade) {
  const [{ env = [], envFrom = [] }] = podOf(workload).spec.containers;
  /** @type {Record<string, string>} */
  const environment = {};
  /** @type {string[]} */
  const problems = [];
  const referred = new Set();
  for (const { configMapRef } of envFrom)
    Object.assign(environment, find(manifests, 'ConfigMap', configMapRef?.name)?.data);
  for (const { name, value, valueFrom } of env) {
    const text = value ?? sampleOf(valueFrom?.secretKeyRef, handMade);
    environment[name] = text.replace(REFERENCE, (/** @type {string} */ whole, /** @type {string} */ reference) => {
      referred.add(reference);
      if (environment[reference] === undefined)
        problems.push(`${name} refers to ${reference}, which is not set before it`);
      return environment[reference] ?? whole;
    });
  }
  for (const name of referred) delete environment[name];
  return { environment, problems };
}

/**
 * @param {{ name: string, key: string } | undefined} reference
 * @param {readonly HandMadeSecret[]} handMade
 */
function sampleOf(reference, handMade) {
  const source = handMade.find(({ name }) => name === reference?.name)?.keys[reference?.key ?? ''];
  if (source && 'given' in source) return source.example;
  return source && 'generate' in source && source.generate === 'encryption-key'
    ? Buffer.alloc(32).toString('base64')
    : 'a-password';
}

/**
 * @param {Readonly<Record<string, string>>} environment
 * @param {readonly string[]} stateful
 */
function migrationProblems(environment, stateful) {
  const passwords = stateful.flatMap((service) =>
    ['OWNER', 'RUNTIME', 'NARROW'].map((role) => `${service.toUpperCase().replaceAll('-', '_')}_${role}_PASSWORD`),
  );
  const expected = ['DATABASE_ADMIN_URL', 'NATS_URL', 'NATS_PASSWORD', 'NATS_REPLICAS', ...passwords];
  return [
    ...expected.filter((name) => !environment[name]).map((name) => `${name} is not set`),
    ...Object.keys(environment)
      .filter((name) => !expected.includes(name) && !PROCESS_VARIABLES.includes(name))
      .map((name) => `${name} is not a variable of migrate`),
  ];
}
