// Ways to look at rendered manifests that several rules share.

/** @typedef {import('./render.mjs').Manifest} Manifest */

/** @param {Manifest} manifest @returns {string} as in `Deployment/gateway` */
export const nameOf = ({ kind, metadata }) => `${kind}/${metadata.name}`;

/**
 * @param {readonly Manifest[]} manifests
 * @param {...string} kinds
 */
export const ofKind = (manifests, ...kinds) => manifests.filter(({ kind }) => kinds.includes(kind));

/**
 * @param {readonly Manifest[]} manifests
 * @param {string} kind
 * @param {string} name
 * @param {string} [namespace]
 * @returns {Manifest | undefined}
 */
export const find = (manifests, kind, name, namespace = 'crm') =>
  manifests.find(
    ({ kind: itsKind, metadata }) =>
      itsKind === kind && metadata.name === name && (metadata.namespace ?? namespace) === namespace,
  );

/** Clusters of PostgreSQL. @param {readonly Manifest[]} manifests */
export const databases = (manifests) =>
  manifests.filter(({ apiVersion, kind }) => kind === 'Cluster' && apiVersion.startsWith('postgresql.cnpg.io/'));

/** Objects that make pods. */
export const WORKLOADS = ['CronJob', 'DaemonSet', 'Deployment', 'Job', 'StatefulSet'];
/** Those whose pods run for as long as the platform does. */
export const LASTING_WORKLOADS = ['DaemonSet', 'Deployment', 'StatefulSet'];

/** @param {readonly Manifest[]} manifests */
export const workloads = (manifests) => ofKind(manifests, ...WORKLOADS);

/** @param {Manifest} workload */
export const podOf = ({ kind, spec }) => (kind === 'CronJob' ? spec.jobTemplate.spec.template : spec.template);

/** @param {Manifest} workload @returns {any[]} */
export const containersOf = (workload) => {
  const { containers = [], initContainers = [] } = podOf(workload).spec;
  return [...initContainers, ...containers];
};

/**
 * @param {{ matchLabels?: Record<string, string>, matchExpressions?: unknown[] } | undefined} selector
 * @param {Record<string, string>} labels
 * @returns {boolean} whether an object with these labels is selected
 */
export function selects(selector, labels) {
  if (selector?.matchExpressions) throw new Error('matchExpressions are not understood by the rules');
  return Object.entries(selector?.matchLabels ?? {}).every(([name, value]) => labels[name] === value);
}

const UNITS = { '': 1, m: 1e-3, k: 1e3, Ki: 2 ** 10, M: 1e6, Mi: 2 ** 20, G: 1e9, Gi: 2 ** 30 };

/**
 * @param {string | number} quantity such as `250m` or `1Gi`
 * @returns {number} NaN when it is none
 */
export function quantity(quantity) {
  const [, number, unit = ''] = /^([\d.]+)([a-zA-Z]*)$/.exec(String(quantity)) ?? [];
  const factor = UNITS[/** @type {keyof typeof UNITS} */ (unit)];
  return number === undefined || factor === undefined ? Number.NaN : Number(number) * factor;
}
