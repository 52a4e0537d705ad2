import { databases, ofKind, selects } from '../manifests.mjs';
import { NAMESPACE, PEER_NAMESPACES, podLabels, portNumbers } from '../network-policies.mjs';

/** @typedef {import('../render.mjs').Manifest} Manifest */
/** @typedef {import('../network-policies.mjs').NetworkInput} NetworkInput */

/**
 * Somebody at one end of a connection: a pod, or an address outside the cluster.
 * @typedef {{ name: string, namespace?: string, labels?: Record<string, string>, address?: string }} End
 */

/** @typedef {{ from: string, to: string, port: number }} Arrow */

/**
 * What the servers need beyond the arrows of the contracts, and what the overlays add.
 * @type {readonly Arrow[]}
 */
const AMONG_SERVERS = [
  { from: 'nats', to: 'nats', port: 6222 },
  { from: 'nats', to: 'dns', port: 53 },
  { from: 'observability', to: 'nats', port: 8222 },
  { from: 'database', to: 'database', port: 5432 },
  { from: 'database', to: 'database', port: 8000 },
  { from: 'database', to: 'dns', port: 53 },
  { from: 'database-operator', to: 'database', port: 5432 },
  { from: 'database-operator', to: 'database', port: 8000 },
  { from: 'observability', to: 'database', port: 9187 },
  // The API of Kubernetes and the store of the backups, wherever they are.
  ...['public-address', 'private-address'].flatMap((to) => [443, 6443].map((port) => ({ from: 'database', to, port }))),
];

/** Addresses to try: public ones, and one of each kind that must not be called. */
const PUBLIC_ADDRESS = '93.184.215.14';
const PRIVATE_ADDRESS = '10.0.0.7';

/**
 * Every arrow of the contracts is allowed, and no other connection between any two ends on any port that somebody uses.
 * @param {readonly Manifest[]} manifests
 * @param {NetworkInput} input
 * @param {readonly Arrow[]} [additional] arrows of an overlay
 * @returns {string[]}
 */
export function networkProblems(manifests, input, additional = []) {
  const policies = ofKind(manifests, 'NetworkPolicy').filter(({ metadata }) => metadata.namespace === NAMESPACE);
  const wanted = new Set([...contractArrows(input), ...AMONG_SERVERS, ...additional].map(textOf));
  const ends = endsOf(manifests, input);
  const ports = [...new Set([...wanted].map((arrow) => Number(arrow.split(':')[1])))];
  const problems = [];
  for (const from of ends) {
    for (const to of ends) {
      // Outside our namespace nothing is ours to allow.
      if (from.namespace !== NAMESPACE && to.namespace !== NAMESPACE) continue;
      for (const port of [...ports, 1]) {
        const arrow = textOf({ from: from.name, to: to.name, port });
        const allowed = isAllowed(policies, from, to, port);
        if (allowed && !wanted.has(arrow)) problems.push(`allowed, but not an arrow: ${arrow}`);
        if (!allowed && wanted.has(arrow)) problems.push(`an arrow, but not allowed: ${arrow}`);
      }
    }
  }
  return problems;
}

/** @param {Arrow} arrow */
const textOf = ({ from, to, port }) => `${from} -> ${to}:${port}`;

/** @param {NetworkInput} input @returns {Arrow[]} */
function contractArrows(input) {
  return input.connections.flatMap((arrow) =>
    portNumbers(arrow, input).flatMap((port) => {
      const to = arrow.to === 'internet' || arrow.to === 'mail' ? 'public-address' : arrow.to;
      return [{ from: arrow.from, to, port }];
    }),
  );
}

/**
 * @param {readonly Manifest[]} manifests
 * @param {NetworkInput} input
 * @returns {End[]}
 */
function endsOf(manifests, input) {
  const named = new Set(input.connections.flatMap(({ from, to }) => [from, to]));
  /** @type {End[]} */
  const ends = [...named]
    .filter((name) => !['public', 'observability', 'dns', 'mail', 'internet'].includes(name))
    .map((name) => ({ name, namespace: NAMESPACE, labels: podLabels(name) }));
  for (const { kind, metadata, spec } of manifests) {
    const known = ends.some(({ labels = {} }) =>
      Object.entries(labels).every(([name, value]) => spec?.template?.metadata?.labels?.[name] === value),
    );
    if (['Deployment', 'StatefulSet', 'Job'].includes(kind) && !known) {
      ends.push({ name: metadata.name, namespace: NAMESPACE, labels: spec.template.metadata.labels });
    }
  }
  for (const { metadata, spec } of databases(manifests)) {
    const labels = { 'cnpg.io/cluster': metadata.name, ...spec.inheritedMetadata?.labels };
    const known = ends.find(({ labels: itsLabels }) => itsLabels?.['cnpg.io/cluster'] === metadata.name);
    if (known) known.labels = labels;
    else ends.push({ name: metadata.name, namespace: NAMESPACE, labels });
  }
  return [
    ...ends,
    { name: 'stranger', namespace: NAMESPACE, labels: {} },
    { name: 'public', namespace: PEER_NAMESPACES.public, labels: {} },
    { name: 'observability', namespace: PEER_NAMESPACES.observability, labels: {} },
    { name: 'dns', namespace: PEER_NAMESPACES.dns, labels: { 'k8s-app': 'kube-dns' } },
    { name: 'database-operator', namespace: 'cnpg-system', labels: { 'app.kubernetes.io/name': 'cloudnative-pg' } },
    { name: 'public-address', address: PUBLIC_ADDRESS },
    { name: 'private-address', address: PRIVATE_ADDRESS },
  ];
}

/**
 * As Kubernetes decides: a pod that a policy selects may only do what one of its policies allows.
 * @param {readonly Manifest[]} policies of our namespace
 * @param {End} from
 * @param {End} to
 * @param {number} port TCP
 */
export function isAllowed(policies, from, to, port) {
  return (
    (from.namespace !== NAMESPACE || isAllowedOn(policies, 'Egress', from, to, port)) &&
    (to.namespace !== NAMESPACE || isAllowedOn(policies, 'Ingress', to, from, port))
  );
}

/**
 * @param {readonly Manifest[]} policies
 * @param {'Ingress' | 'Egress'} direction
 * @param {End} pod
 * @param {End} peer
 * @param {number} port
 */
function isAllowedOn(policies, direction, pod, peer, port) {
  const of = policies.filter(
    ({ spec }) => spec.policyTypes.includes(direction) && selects(spec.podSelector, pod.labels ?? {}),
  );
  if (of.length === 0) return true;
  const [rules, side] = direction === 'Egress' ? ['egress', 'to'] : ['ingress', 'from'];
  return of.some(({ spec }) =>
    (spec[/** @type {string} */ (rules)] ?? []).some(
      (/** @type {any} */ rule) =>
        (rule.ports === undefined ||
          rule.ports.some((/** @type {any} */ entry) => entry.port === port && entry.protocol === 'TCP')) &&
        (rule[/** @type {string} */ (side)] === undefined ||
          rule[/** @type {string} */ (side)].some((/** @type {any} */ candidate) => isPeer(candidate, peer))),
    ),
  );
}

/**
 * @param {any} candidate
 * @param {End} peer
 */
function isPeer({ ipBlock, namespaceSelector, podSelector }, peer) {
  if (ipBlock) return peer.address !== undefined && isInBlock(ipBlock, peer.address);
  if (peer.namespace === undefined) return false;
  const inNamespace = namespaceSelector
    ? selects(namespaceSelector, { 'kubernetes.io/metadata.name': peer.namespace })
    : peer.namespace === NAMESPACE;
  return inNamespace && selects(podSelector, peer.labels ?? {});
}

/**
 * IPv4 only: every policy that is tried here names IPv4 and IPv6 side by side, from one list.
 * @param {{ cidr: string, except?: readonly string[] }} block
 * @param {string} address
 */
const isInBlock = ({ cidr, except = [] }, address) =>
  isInRange(cidr, address) && !except.some((range) => isInRange(range, address));

/** @param {string} cidr @param {string} address */
export function isInRange(cidr, address) {
  if (cidr.includes(':')) return false;
  const [base = '', bits = '32'] = cidr.split('/');
  const size = 2 ** (32 - Number(bits));
  return Math.floor(numberOf(base) / size) === Math.floor(numberOf(address) / size);
}

/** @param {string} address */
const numberOf = (address) => address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
