import { containersOf, databases, find, podOf, workloads } from '../manifests.mjs';

/** @typedef {import('../render.mjs').Manifest} Manifest */
/** @typedef {{ services: Record<string, { image?: string, environment?: Record<string, string | number> }> }} Compose */

/**
 * What docker-compose.yml and the manifests both say is the same: services, ports, addresses of each other, versions. Addresses are the
 * same but for their scheme: in containers on one machine the services speak plain HTTP.
 * @param {readonly Manifest[]} manifests
 * @param {Compose} compose
 * @param {readonly string[]} services of the contracts
 * @returns {string[]}
 */
export function composeProblems(manifests, compose, services) {
  return [
    ...services.flatMap((name) => serviceProblems(name, manifests, compose)),
    ...versionProblems(manifests, compose),
  ];
}

/**
 * @param {string} name
 * @param {readonly Manifest[]} manifests
 * @param {Compose} compose
 */
function serviceProblems(name, manifests, compose) {
  const theirs = compose.services[name]?.environment;
  const deployment = find(manifests, 'Deployment', name);
  if (!theirs || !deployment) return [`${name}: it is not in both`];
  const [{ ports, env }] = podOf(deployment).spec.containers;
  const ours = {
    PORT: ports[0].containerPort,
    OPS_PORT: ports[1].containerPort,
    ...Object.fromEntries(
      env
        .filter((/** @type {any} */ { name: variable, value = '' }) => /_URL$/.test(variable) && /^https?:/.test(value))
        .map((/** @type {any} */ entry) => [entry.name, entry.value.replace(/^https:/, 'http:')]),
    ),
  };
  return Object.entries(ours)
    .filter(([variable, value]) => String(theirs[variable]) !== String(value))
    .map(([variable, value]) => `${name}: ${variable} is ${value} here and ${theirs[variable]} in compose`);
}

/**
 * @param {readonly Manifest[]} manifests
 * @param {Compose} compose
 */
function versionProblems(manifests, compose) {
  const theirs = new Map(Object.values(compose.services).map(({ image = '' }) => partsOf(image)));
  const ours = [
    ...workloads(manifests).flatMap((workload) => containersOf(workload).map(({ image }) => partsOf(image))),
    // Another image of the same server: major and minor version count.
    ...databases(manifests).map(
      ({ spec }) => /** @type {[string, string]} */ (['postgres', partsOf(spec.imageName)[1]]),
    ),
  ];
  return ours
    .filter(([name, tag]) => theirs.has(name) && versionOf(name, theirs.get(name)) !== versionOf(name, tag))
    .map(([name, tag]) => `${name} is of version ${tag} here and ${theirs.get(name)} in compose`);
}

/** @param {string} image @returns {[name: string, tag: string]} */
const partsOf = (image) => {
  const [, name = '', tag = ''] = /^(?:docker\.io\/(?:library\/)?)?(.*):([^:/]+)$/.exec(image) ?? [];
  return [name, tag];
};

/** @param {string} name @param {string} [tag] */
const versionOf = (name, tag = '') => (name === 'postgres' ? tag.replace(/-.*$/, '') : tag);
