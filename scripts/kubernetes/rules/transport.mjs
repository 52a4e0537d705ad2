import { containersOf, find, nameOf, ofKind, podOf, workloads } from '../manifests.mjs';

/** @typedef {import('../render.mjs').Manifest} Manifest */
/** @typedef {{ secret: string, key: string }} Mounted */

/** The variables that name files of a certificate, and which key of its secret each has. */
export const CERTIFICATE_FILES = { TLS_CERT_FILE: 'tls.crt', TLS_KEY_FILE: 'tls.key', UPSTREAM_CA_FILE: 'ca.crt' };

/**
 * HTTP between our services, and from the proxy in front, is encrypted: each shows a certificate for its name, and each caller checks
 * it by the authority that signed it. Nothing says that it may go without.
 * @param {readonly Manifest[]} manifests
 * @param {{ services: readonly string[] }} contracts
 * @returns {string[]}
 */
export function transportProblems(manifests, { services }) {
  return [
    ...services.flatMap((service) => serverProblems(service, manifests)),
    ...services.flatMap((service) => callerProblems(service, manifests, services)),
    ...ofKind(manifests, 'HTTPRoute').flatMap((route) => routeProblems(route, manifests)),
    ...plaintextProblems(manifests),
  ];
}

/** @param {string} service @param {readonly Manifest[]} manifests */
function serverProblems(service, manifests) {
  const deployment = find(manifests, 'Deployment', service);
  if (!deployment) return [];
  const [certificate, key] = ['TLS_CERT_FILE', 'TLS_KEY_FILE'].map((variable) => fileOf(deployment, variable));
  if (certificate?.key !== CERTIFICATE_FILES.TLS_CERT_FILE || key?.key !== CERTIFICATE_FILES.TLS_KEY_FILE)
    return [`${nameOf(deployment)}: it speaks plain HTTP, for it is given no certificate or no key`];
  if (certificate.secret !== key.secret)
    return [`${nameOf(deployment)}: its certificate is in ${certificate.secret} and its key in ${key.secret}`];
  const names = certificateOf(certificate.secret, manifests)?.spec.dnsNames ?? [];
  return [service, `${service}.crm.svc`]
    .filter((name) => !names.includes(name))
    .map((name) => `${nameOf(deployment)}: its certificate does not name ${name}`);
}

/** @param {string} service @param {readonly Manifest[]} manifests @param {readonly string[]} services */
function callerProblems(service, manifests, services) {
  const deployment = find(manifests, 'Deployment', service);
  const env = deployment ? podOf(deployment).spec.containers[0].env : [];
  return env.flatMap((/** @type {{ name: string, value?: string }} */ { name, value = '' }) => {
    const url = /^https?:/.test(value) && URL.canParse(value) ? new URL(value) : undefined;
    const called = services.find((candidate) => candidate === url?.hostname.split('.', 1)[0]);
    if (!url || !called) return [];
    const problem = callProblem(url, called, /** @type {Manifest} */ (deployment), manifests);
    return problem ? [`${nameOf(/** @type {Manifest} */ (deployment))}: ${name} ${problem}`] : [];
  });
}

/** @param {URL} url @param {string} called @param {Manifest} caller @param {readonly Manifest[]} manifests */
function callProblem({ protocol, hostname }, called, caller, manifests) {
  if (protocol !== 'https:') return `leads to ${called} without encryption`;
  const shown = shownBy(called, manifests);
  if (!shown?.spec.dnsNames.includes(hostname)) return `names ${hostname}, and the certificate there does not`;
  const trusted = certificateOf(fileOf(caller, 'UPSTREAM_CA_FILE')?.secret, manifests);
  return isOfOneIssuer(shown, trusted) ? undefined : 'leads to a certificate whose authority it does not trust';
}

/** @param {Manifest} route @param {readonly Manifest[]} manifests */
function routeProblems(route, manifests) {
  /** @type {any[]} */
  const backends = route.spec.rules.flatMap((/** @type {any} */ { backendRefs = [] }) => backendRefs);
  return backends.flatMap(({ name }) => {
    const policies = ofKind(manifests, 'BackendTLSPolicy').filter(
      ({ metadata, spec }) =>
        metadata.namespace === route.metadata.namespace &&
        spec.targetRefs.some((/** @type {any} */ target) => target.kind === 'Service' && target.name === name),
    );
    const validation = policies[0]?.spec.validation;
    if (policies.length !== 1) return [`${nameOf(route)}: ${policies.length} policies say how ${name} is verified`];
    const shown = shownBy(name, manifests);
    const [{ kind, name: secret }] = validation.caCertificateRefs;
    return [
      ...(shown?.spec.dnsNames.includes(validation.hostname)
        ? []
        : [`${nameOf(route)}: ${name} has no certificate for ${validation.hostname}`]),
      ...(kind === 'Secret' && isOfOneIssuer(shown, certificateOf(secret, manifests))
        ? []
        : [`${nameOf(route)}: the authority of ${name} is not in ${kind}/${secret}`]),
    ];
  });
}

/** @param {readonly Manifest[]} manifests */
function plaintextProblems(manifests) {
  const ofPods = workloads(manifests).filter((workload) =>
    containersOf(workload).some(({ env = [] }) =>
      env.some((/** @type {any} */ { name }) => name === 'ALLOW_PLAINTEXT'),
    ),
  );
  const ofAll = ofKind(manifests, 'ConfigMap').filter(({ data }) => data?.ALLOW_PLAINTEXT !== undefined);
  return [...ofPods, ...ofAll].map((manifest) => `${nameOf(manifest)}: it allows connections without encryption`);
}

/**
 * What a variable of the first container names: a key of a secret, mounted as a whole folder, because a file that is mounted by itself
 * never changes.
 * @param {Manifest} workload
 * @param {string} variable
 * @returns {Mounted | undefined}
 */
export function fileOf(workload, variable) {
  const { containers, volumes = [] } = podOf(workload).spec;
  const [{ env = [], volumeMounts = [] }] = containers;
  const path = env.find((/** @type {any} */ { name }) => name === variable)?.value ?? '';
  const [, folder, file] = /^(.*)\/([^/]+)$/.exec(path) ?? [];
  const mount = volumeMounts.find((/** @type {any} */ { mountPath, subPath }) => mountPath === folder && !subPath);
  const { secret } = volumes.find((/** @type {any} */ { name }) => name === mount?.name) ?? {};
  const item = secret?.items?.find((/** @type {any} */ { path: place }) => place === file);
  return item && { secret: secret.secretName, key: item.key };
}

/** @param {string | undefined} secret @param {readonly Manifest[]} manifests */
const certificateOf = (secret, manifests) =>
  ofKind(manifests, 'Certificate').find(
    ({ metadata, spec }) => metadata.namespace === 'crm' && secret !== undefined && spec.secretName === secret,
  );

/** @param {string} service @param {readonly Manifest[]} manifests */
function shownBy(service, manifests) {
  const deployment = find(manifests, 'Deployment', service);
  return deployment && certificateOf(fileOf(deployment, 'TLS_CERT_FILE')?.secret, manifests);
}

/** @param {Manifest | undefined} one @param {Manifest | undefined} other */
const isOfOneIssuer = (one, other) =>
  one !== undefined && JSON.stringify(one.spec.issuerRef) === JSON.stringify(other?.spec.issuerRef);
