// The environment that the manifests give to each program, compared with its configuration. For tests: the sources are
// TypeScript, which Jest compiles.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { SERVICES } from '../../libs/contracts/src/services.js';
import { environmentProblems } from '../deployment/service-variables.mjs';
import { certificateAuthority } from '../servers/certificate-authority.mjs';

/** @typedef {import('./render.mjs').Manifest} Manifest */
/** @typedef {import('./hand-made-secrets.mjs').HandMadeSecret} HandMadeSecret */

/** The variables that name files of a certificate, and which key of its secret each has. */
const CERTIFICATE_FILES = { TLS_CERT_FILE: 'tls.crt', TLS_KEY_FILE: 'tls.key', UPSTREAM_CA_FILE: 'ca.crt' };

const REFERENCE = /\$\(([A-Z][A-Z0-9_]*)\)/g;

/** Every variable of a program is one that it reads, with a valid value from a secret that someone makes; none is
 * missing. @param {readonly Manifest[]} manifests @param {readonly HandMadeSecret[]} handMade
 * @returns {Promise<string[]>} a sentence for each problem */
export async function variableProblems(manifests, handMade) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'crm-certificates-'));
  /** @type {string[]} */
  const found = [];
  try {
    // cert-manager fills a secret like this: services read the files that they are given, and refuse what does not belong together.
    const authority = await certificateAuthority();
    const { cert, key } = await authority.sign(['sample']);
    const files = { 'tls.crt': cert, 'tls.key': key, 'ca.crt': authority.ca };
    for (const [name, content] of Object.entries(files)) await writeFile(path.join(folder, name), content);
    // One after the other: Jest cannot load a module of ours twice at the same time.
    for (const program of /** @type {const} */ ([...SERVICES, 'migrate'])) {
      const workload = manifests.find(
        ({ kind, metadata }) => ['Deployment', 'Job'].includes(kind) && metadata.name === program,
      );
      if (!workload) continue;
      const { environment, problems } = environmentOf(workload, manifests, handMade);
      problems.push(...takeCertificates(environment, workload, folder));
      problems.push(...(await environmentProblems(program, environment)));
      found.push(...problems.map((problem) => `${program}: ${problem}`));
    }
  } finally {
    await rm(folder, { recursive: true });
  }
  return found;
}

/** The environment of the first container with references replaced, and made-up values of the right form for secrets.
 * @param {Manifest} workload @param {readonly Manifest[]} manifests @param {readonly HandMadeSecret[]} handMade */
function environmentOf(workload, manifests, handMade) {
  const [{ env = [], envFrom = [] }] = workload.spec.template.spec.containers;
  /** @type {Record<string, string>} */
  const environment = {};
  /** @type {string[]} */
  const problems = [];
  const referred = new Set();
  for (const { configMapRef } of envFrom) {
    const map = manifests.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === configMapRef.name);
    Object.assign(environment, map?.data);
  }
  for (const { name, value, valueFrom } of env) {
    const text = value ?? sampleOf(valueFrom.secretKeyRef, handMade);
    if (text === undefined) problems.push(`nobody makes the secret of ${name}`);
    environment[name] = (text ?? '').replace(
      REFERENCE,
      (/** @type {string} */ whole, /** @type {string} */ reference) => {
        referred.add(reference);
        if (environment[reference] === undefined) {
          problems.push(`${name} refers to ${reference}, which is not set before it`);
        }
        return environment[reference] ?? whole;
      },
    );
  }
  for (const name of referred) delete environment[name];
  return { environment, problems };
}

/** @param {{ name: string, key: string }} reference @param {readonly HandMadeSecret[]} handMade
 * @returns {string | undefined} undefined when nobody makes it */
function sampleOf({ name, key }, handMade) {
  // The secret of the operator of PostgreSQL.
  if (name === 'crm-db-superuser') return 'a-password';
  const source = handMade.find((secret) => secret.name === name)?.keys[key];
  if (!source) return undefined;
  if ('given' in source) return source.example;
  return 'generate' in source ? source.generate() : source.fixed;
}

/** Puts the sample in place of files that a secret with a certificate provides.
 * @param {Record<string, string>} environment is changed @param {Manifest} workload
 * @param {string} folder of the sample */
function takeCertificates(environment, workload, folder) {
  return Object.entries(CERTIFICATE_FILES).flatMap(([variable, key]) => {
    const file = environment[variable];
    if (file === undefined) return [];
    environment[variable] = path.join(folder, key);
    return mountedSecret(workload, file)?.key === key
      ? []
      : [`${variable} is ${file}, and no secret is mounted there that has ${key}`];
  });
}

/** The key of a secret that a program finds as a file. A file that is mounted by itself, not its folder, never changes.
 * @param {Manifest} workload @param {string} file */
export function mountedSecret(workload, file) {
  const { containers, volumes = [] } = workload.spec.template.spec;
  const { volumeMounts = [] } = containers[0];
  const mount = volumeMounts.find(
    (/** @type {any} */ { mountPath, subPath }) => mountPath === path.dirname(file) && !subPath,
  );
  const { secret } = volumes.find((/** @type {any} */ { name }) => name === mount?.name) ?? {};
  const item = secret?.items?.find((/** @type {any} */ entry) => entry.path === path.basename(file));
  return item && { secret: secret.secretName, key: item.key };
}
