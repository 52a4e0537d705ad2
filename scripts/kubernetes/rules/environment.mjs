import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { SERVICES } from '../../../libs/contracts/src/services.js';
import { environmentProblems, PROCESS_VARIABLES } from '../../deployment/service-variables.mjs';
import { certificateAuthority } from '../../testing/certificate-authority.mjs';
import { find, nameOf, podOf, workloads } from '../manifests.mjs';
import { CERTIFICATE_FILES, fileOf } from './transport.mjs';

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
  const folder = await mkdtemp(path.join(os.tmpdir(), 'crm-certificates-'));
  try {
    await writeSampleCertificate(folder);
    return await problemsOfWorkloads(manifests, { handMade, stateful, folder });
  } finally {
    await rm(folder, { recursive: true });
  }
}

/**
 * @param {readonly Manifest[]} manifests
 * @param {{ handMade: readonly HandMadeSecret[], stateful: readonly string[], folder: string }} context
 */
async function problemsOfWorkloads(manifests, { handMade, stateful, folder }) {
  /** @type {string[]} */
  const found = [];
  // One after the other: Jest cannot load a module of ours twice at the same time.
  for (const workload of workloads(manifests)) {
    const { name } = workload.metadata;
    const service = SERVICES.find((candidate) => candidate === name);
    if (!service && name !== 'migrate') continue;
    const { environment, problems } = environmentOf(workload, manifests, handMade);
    problems.push(...takeCertificates(environment, workload, folder));
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
 * As cert-manager fills a secret: services read the files that they are given, and refuse what does not belong together.
 * @param {string} folder
 */
async function writeSampleCertificate(folder) {
  const authority = await certificateAuthority();
  const { cert, key } = await authority.sign(['sample']);
  const files = { 'tls.crt': cert, 'tls.key': key, 'ca.crt': authority.ca };
  for (const [name, content] of Object.entries(files)) await writeFile(path.join(folder, name), content);
}

/**
 * Puts the sample in the place of files that a secret with a certificate provides.
 * @param {Record<string, string>} environment is changed
 * @param {Manifest} workload
 * @param {string} folder of the sample
 * @returns {string[]}
 */
function takeCertificates(environment, workload, folder) {
  return Object.entries(CERTIFICATE_FILES).flatMap(([variable, key]) => {
    if (environment[variable] === undefined) return [];
    const isProvided = fileOf(workload, variable)?.key === key;
    const problem = `${variable} is ${environment[variable]}, and no secret is mounted there that has ${key}`;
    environment[variable] = path.join(folder, key);
    return isProvided ? [] : [problem];
  });
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
