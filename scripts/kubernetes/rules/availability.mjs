import { containersOf, find, LASTING_WORKLOADS, nameOf, ofKind, podOf, selects } from '../manifests.mjs';

/** @typedef {import('../render.mjs').Manifest} Manifest */

/** Seconds after the drain at which a service ends a shutdown that hangs (libs/runtime/src/start-service.ts). */
const SHUTDOWN_GRACE_SECONDS = 10;
/** Seconds that a server of NATS takes to leave (lame_duck_duration of nats.conf). */
const NATS_LEAVES_SECONDS = 30;

/**
 * Whatever runs shows its health, drains before it ends, is spread over nodes and zones, and is not taken away at once.
 * @param {readonly Manifest[]} manifests
 * @returns {string[]}
 */
export function availabilityProblems(manifests) {
  return ofKind(manifests, ...LASTING_WORKLOADS).flatMap((workload) =>
    [
      ...probeProblems(workload),
      ...drainProblems(workload, manifests),
      ...rolloutProblems(workload),
      ...spreadProblems(workload),
      ...budgetProblems(workload, manifests),
      ...replicaProblems(workload, manifests),
    ].map((problem) => `${nameOf(workload)}: ${problem}`),
  );
}

/** @param {Manifest} workload */
const isService = (workload) => /(?:^|\/)crm\//.test(podOf(workload).spec.containers[0].image ?? '');

/** @param {Manifest} workload */
function probeProblems(workload) {
  return podOf(workload).spec.containers.flatMap((/** @type {any} */ container) => {
    const problems = ['livenessProbe', 'readinessProbe']
      .filter((probe) => !container[probe])
      .map((probe) => `${container.name} has no ${probe}`);
    if (!isService(workload)) return problems;
    const expected = { livenessProbe: '/livez', readinessProbe: '/readyz', startupProbe: '/livez' };
    for (const [probe, path] of Object.entries(expected)) {
      const { path: itsPath, port } = container[probe]?.httpGet ?? {};
      if (container[probe] && (itsPath !== path || port !== 'operations')) {
        problems.push(`${probe} of ${container.name} does not ask ${path} on the operations port`);
      }
    }
    return problems;
  });
}

/**
 * @param {Manifest} workload
 * @param {readonly Manifest[]} manifests
 */
function drainProblems(workload, manifests) {
  const { terminationGracePeriodSeconds: grace = 30, containers } = podOf(workload).spec;
  const [{ lifecycle, envFrom = [] }] = containers;
  if (!isService(workload)) {
    const isNats = workload.metadata.name === 'nats';
    return isNats && (!lifecycle?.preStop || grace <= NATS_LEAVES_SECONDS)
      ? ['it does not hand over before it ends']
      : [];
  }
  const wait = lifecycle?.preStop?.sleep?.seconds;
  if (!wait) return ['it drains while it still gets requests (preStop)'];
  const settings = envFrom.map(
    (/** @type {any} */ { configMapRef }) => configMapRef && find(manifests, 'ConfigMap', configMapRef.name)?.data,
  );
  const drain = Number(Object.assign({}, ...settings).DRAIN_SECONDS ?? Number.NaN);
  return grace >= wait + drain + SHUTDOWN_GRACE_SECONDS
    ? []
    : [`${grace} s are too short for preStop (${wait} s), the drain (${drain} s) and ${SHUTDOWN_GRACE_SECONDS} s`];
}

/** @param {Manifest} workload */
function rolloutProblems(workload) {
  if (!isService(workload)) return [];
  const { type, rollingUpdate } = workload.spec.strategy ?? {};
  return type === 'RollingUpdate' && rollingUpdate?.maxUnavailable === 0
    ? []
    : ['a release takes a process away before its successor is ready'];
}

/** @param {Manifest} workload */
function spreadProblems(workload) {
  if (!isService(workload) && workload.metadata.name !== 'nats') return [];
  const pod = podOf(workload);
  const { topologySpreadConstraints = [], affinity } = pod.spec;
  const keys = topologySpreadConstraints
    .filter((/** @type {any} */ { labelSelector }) => selects(labelSelector, pod.metadata.labels))
    .map((/** @type {any} */ { topologyKey }) => topologyKey);
  const apart = affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  keys.push(...apart.map((/** @type {any} */ { topologyKey }) => topologyKey));
  return ['topology.kubernetes.io/zone', 'kubernetes.io/hostname']
    .filter((key) => !keys.includes(key))
    .map((key) => `its pods are not spread by ${key}`);
}

/**
 * @param {Manifest} workload
 * @param {readonly Manifest[]} manifests
 */
function budgetProblems(workload, manifests) {
  const { labels } = podOf(workload).metadata;
  const budgets = ofKind(manifests, 'PodDisruptionBudget').filter(({ spec }) => selects(spec.selector, labels));
  if (budgets.length !== 1) return [`it has ${budgets.length} disruption budgets instead of one`];
  return budgets[0]?.spec.maxUnavailable === 1 ? [] : ['its disruption budget is not one pod at a time'];
}

/**
 * A number of replicas beside an autoscaler would be set again with each release.
 * @param {Manifest} workload
 * @param {readonly Manifest[]} manifests
 */
function replicaProblems(workload, manifests) {
  const scaler = ofKind(manifests, 'HorizontalPodAutoscaler').find(
    ({ spec }) => spec.scaleTargetRef.kind === workload.kind && spec.scaleTargetRef.name === workload.metadata.name,
  );
  if (scaler && workload.spec.replicas !== undefined)
    return ['it has a fixed number of replicas beside its autoscaler'];
  if (!scaler && workload.spec.replicas === undefined) return ['nothing says how many replicas it has'];
  if (scaler && scaler.spec.minReplicas < 2) return ['its autoscaler allows a single process'];
  const measures = scaler?.spec.metrics.map((/** @type {any} */ { type }) => type) ?? [];
  return scaler && !measures.includes('Resource') ? ['its autoscaler does not look at the processor'] : [];
}

/**
 * @param {readonly Manifest[]} manifests
 * @returns {string[]} images of containers, for agreement with compose
 */
export const imagesOf = (manifests) =>
  ofKind(manifests, ...LASTING_WORKLOADS).flatMap((workload) => containersOf(workload).map(({ image }) => image));
