import { containersOf, find, nameOf, podOf, quantity, workloads } from '../manifests.mjs';

/** @typedef {import('../render.mjs').Manifest} Manifest */

/** The user of every container, as in deploy/Dockerfile. */
const USER = 10001;
/** A tag that names one release: three numbers at least, or major and minor of what has no third. */
const FULL_VERSION = /^v?\d+\.\d+(?:\.\d+)?(?:[.+-][\w.+-]+)?$/;
const DIGEST = /@sha256:[0-9a-f]{64}$/;

/**
 * Images are of one release, and no pod may do more than it needs: the profile `restricted` of Kubernetes, a read-only file
 * system, no token, bounded resources.
 * @param {readonly Manifest[]} manifests
 * @param {{ version: string }} ours version of package.json
 * @returns {string[]}
 */
export function podProblems(manifests, { version }) {
  const ofPods = workloads(manifests).flatMap((workload) => {
    const pod = podOf(workload).spec;
    const problems = [
      ...accountProblems(manifests, pod),
      ...podSecurityProblems(pod),
      ...containersOf(workload).flatMap((container) => [
        ...imageProblems(container, version),
        ...resourceProblems(container),
        ...containerSecurityProblems(container),
        ...writableProblems(container, pod),
      ]),
    ];
    return problems.map((problem) => `${nameOf(workload)}: ${problem}`);
  });
  return [...namespaceProblems(manifests), ...ofPods];
}

/**
 * Kubernetes itself refuses pods of more rights than these, whoever makes them.
 * @param {readonly Manifest[]} manifests
 */
function namespaceProblems(manifests) {
  const names = new Set(workloads(manifests).map(({ metadata }) => metadata.namespace));
  return [...names]
    .filter((name) => {
      const namespace = manifests.find(({ kind, metadata }) => kind === 'Namespace' && metadata.name === name);
      return namespace?.metadata.labels?.['pod-security.kubernetes.io/enforce'] !== 'restricted';
    })
    .map((name) => `Namespace/${name}: it does not enforce the profile restricted`);
}

/** @param {readonly Manifest[]} manifests @param {any} pod */
function accountProblems(manifests, pod) {
  const problems = [];
  const account = pod.serviceAccountName && find(manifests, 'ServiceAccount', pod.serviceAccountName);
  if (!account) problems.push('it has no service account of its own');
  else if (account.automountServiceAccountToken !== false) problems.push('the token of its service account is mounted');
  if (pod.automountServiceAccountToken !== false) problems.push('it mounts a token of Kubernetes');
  if (pod.enableServiceLinks !== false)
    problems.push('variables of other services get into its environment (enableServiceLinks)');
  return problems;
}

/** @param {any} pod */
function podSecurityProblems(pod) {
  const { runAsNonRoot, runAsUser, runAsGroup, seccompProfile } = pod.securityContext ?? {};
  const problems = [];
  if (runAsNonRoot !== true) problems.push('it may run as root');
  if (runAsUser !== USER || runAsGroup !== USER) problems.push(`it does not run as user and group ${USER}`);
  if (seccompProfile?.type !== 'RuntimeDefault') problems.push('it has no seccomp profile');
  for (const share of ['hostNetwork', 'hostPID', 'hostIPC'])
    if (pod[share]) problems.push(`it shares ${share} with its node`);
  const allowed = ['configMap', 'emptyDir', 'ephemeral', 'persistentVolumeClaim', 'projected', 'secret', 'downwardAPI'];
  for (const { name, ...source } of pod.volumes ?? []) {
    if (!Object.keys(source).every((kind) => allowed.includes(kind)))
      problems.push(`volume ${name} is of a kind that restricted pods cannot have`);
    if (source.emptyDir && source.emptyDir.sizeLimit === undefined) problems.push(`volume ${name} has no size limit`);
  }
  return problems;
}

/** @param {any} container @param {string} version */
function imageProblems({ name, image = '' }, version) {
  if (DIGEST.test(image)) return [];
  const tag = /:([^:/]+)$/.exec(image)?.[1] ?? '';
  if (!FULL_VERSION.test(tag)) return [`${name} has no full version tag: ${image}`];
  const isOurs = /(?:^|\/)crm\/[^/]+$/.test(image);
  return isOurs && tag !== version ? [`${name} is of version ${tag}, not ${version}`] : [];
}

/** @param {any} container */
function resourceProblems({ name, resources }) {
  const problems = [];
  for (const kind of ['cpu', 'memory']) {
    const [request, limit] = [resources?.requests?.[kind], resources?.limits?.[kind]];
    if (request === undefined) problems.push(`${name} requests no ${kind}`);
    if (limit === undefined) problems.push(`${name} has no ${kind} limit`);
    if (quantity(request) > quantity(limit)) problems.push(`${name} requests more ${kind} than its limit`);
  }
  return problems;
}

/** @param {any} container */
function containerSecurityProblems({ name, securityContext = {} }) {
  const { allowPrivilegeEscalation, readOnlyRootFilesystem, capabilities, privileged, runAsNonRoot, runAsUser } =
    securityContext;
  const problems = [];
  if (allowPrivilegeEscalation !== false) problems.push(`${name} may gain privileges`);
  if (readOnlyRootFilesystem !== true) problems.push(`${name} can write its root file system`);
  if (!capabilities?.drop?.includes('ALL') || capabilities.add?.length > 0) problems.push(`${name} keeps capabilities`);
  if (privileged || runAsNonRoot === false || (runAsUser !== undefined && runAsUser !== USER))
    problems.push(`${name} undoes the user of its pod`);
  return problems;
}

/** A service of ours finds /tmp writable. @param {any} container @param {any} pod */
function writableProblems({ name, image = '', volumeMounts = [] }, pod) {
  if (!/(?:^|\/)crm\//.test(image)) return [];
  const mount = volumeMounts.find((/** @type {any} */ { mountPath }) => mountPath === '/tmp');
  const volume = (pod.volumes ?? []).find((/** @type {any} */ candidate) => candidate.name === mount?.name);
  return volume?.emptyDir ? [] : [`${name} has no writable /tmp`];
}
