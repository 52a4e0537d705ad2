import { stringify } from 'yaml';

/** @typedef {import('../../libs/contracts/src/connections.js').ConnectionArrow} ConnectionArrow */
/** @typedef {import('../../libs/contracts/src/connections.js').ConnectionEnd} ConnectionEnd */

/**
 * @typedef {object} Ranges of libs/address-policy
 * @property {readonly { cidr: string }[]} refusedIpv4
 * @property {{ cidr: string }} globalUnicastIpv6
 * @property {readonly { cidr: string }[]} refusedIpv6
 */

/**
 * @typedef {object} NetworkInput
 * @property {readonly ConnectionArrow[]} connections
 * @property {Readonly<Record<string, number>>} servicePorts
 * @property {number} operationsOffset
 * @property {number} operatorsOffset
 * @property {Ranges} ranges
 */

export const NAMESPACE = 'crm';
/** Where the peers run. An overlay for a cluster that names them otherwise patches the policies. */
export const PEER_NAMESPACES = { public: 'crm-public', observability: 'observability', dns: 'kube-system' };

/** Pods of this namespace that are no services, by the labels that their makers give them. */
const POD_LABELS = {
  nats: { 'app.kubernetes.io/name': 'nats' },
  limits: { 'app.kubernetes.io/name': 'valkey' },
  migrate: { 'app.kubernetes.io/name': 'migrate' },
  // Of the operator: every instance of the cluster.
  database: { 'cnpg.io/cluster': 'crm-db' },
};

/** TCP ports of the peers. Mail: submission with TLS from the start, and with STARTTLS. */
const PEER_PORTS = {
  nats: [4222],
  database: [5432],
  redis: [6379],
  telemetry: [4318],
  dns: [53],
  mail: [465, 587],
  https: [443],
};

const HEADER = `# Who may connect to whom: one policy for each process, with the arrows of libs/contracts/src/connections.ts.
# Ranges that must not be called come from libs/address-policy. Made by: npm run docs
# Do not edit: a test compares it with the contracts. What else a cluster needs goes into a policy of its own; policies add up.
`;

/**
 * @param {NetworkInput} input
 * @returns {string} the text of k8s/base/network/connections.yaml
 */
export function networkPoliciesText(input) {
  const policies = networkPolicies(input);
  return HEADER + policies.map((policy) => stringify(policy, { aliasDuplicateObjects: false })).join('---\n');
}

/** @param {NetworkInput} input */
export function networkPolicies(input) {
  const ends = [...new Set(input.connections.flatMap(({ from, to }) => [from, to]))].filter(isInNamespace).sort();
  return ends.map((end) => {
    const incoming = input.connections.filter(({ to }) => to === end);
    const outgoing = input.connections.filter(({ from }) => from === end);
    const rules = {
      ...(incoming.length > 0 && { ingress: grouped(incoming, 'from', input) }),
      ...(outgoing.length > 0 && { egress: grouped(outgoing, 'to', input) }),
    };
    return {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: { name: end },
      spec: {
        podSelector: { matchLabels: podLabels(end) },
        policyTypes: [...('ingress' in rules ? ['Ingress'] : []), ...('egress' in rules ? ['Egress'] : [])],
        ...rules,
      },
    };
  });
}

/** @param {ConnectionEnd} end */
const isInNamespace = (end) => !['public', 'observability', 'dns', 'mail', 'internet'].includes(end);

/** @param {ConnectionEnd} end @returns {Record<string, string>} */
export const podLabels = (end) =>
  POD_LABELS[/** @type {keyof typeof POD_LABELS} */ (end)] ?? { 'app.kubernetes.io/name': end };

/**
 * One rule for each set of ports, with all the peers that have it.
 * @param {readonly ConnectionArrow[]} arrows
 * @param {'from' | 'to'} side of the peer
 * @param {NetworkInput} input
 */
function grouped(arrows, side, input) {
  /** @type {Map<string, { ports: object[], peers: object[] }>} */
  const rules = new Map();
  for (const arrow of arrows) {
    const ports = portsOf(arrow, input);
    const key = JSON.stringify(ports);
    const rule = rules.get(key) ?? { ports, peers: [] };
    rule.peers.push(...peersOf(arrow[side], input.ranges));
    rules.set(key, rule);
  }
  return [...rules.values()].map(({ ports, peers }) => ({ [side]: peers, ports }));
}

/**
 * @param {ConnectionArrow} arrow
 * @param {NetworkInput} input
 */
function portsOf(arrow, input) {
  const protocols = arrow.port === 'dns' ? ['UDP', 'TCP'] : ['TCP'];
  return portNumbers(arrow, input).flatMap((port) => protocols.map((protocol) => ({ port, protocol })));
}

/**
 * @param {ConnectionArrow} arrow
 * @param {Pick<NetworkInput, 'servicePorts' | 'operationsOffset' | 'operatorsOffset'>} input
 * @returns {readonly number[]}
 */
export function portNumbers({ to, port }, { servicePorts, operationsOffset, operatorsOffset }) {
  if (port !== 'http' && port !== 'operators' && port !== 'operations') return PEER_PORTS[port];
  const number = servicePorts[to];
  if (number === undefined) throw new Error(`${to} has no port`);
  return [number + { http: 0, operators: operatorsOffset, operations: operationsOffset }[port]];
}

/**
 * @param {ConnectionEnd} end
 * @param {Ranges} ranges
 * @returns {object[]}
 */
function peersOf(end, ranges) {
  switch (end) {
    case 'public':
    case 'observability':
      return [{ namespaceSelector: namespaced(PEER_NAMESPACES[end]) }];
    case 'dns':
      return [
        {
          namespaceSelector: namespaced(PEER_NAMESPACES.dns),
          podSelector: { matchLabels: { 'k8s-app': 'kube-dns' } },
        },
      ];
    case 'internet':
    case 'mail':
      return publicAddresses(ranges);
    default:
      return [{ podSelector: { matchLabels: podLabels(end) } }];
  }
}

/** @param {string} name */
const namespaced = (name) => ({ matchLabels: { 'kubernetes.io/metadata.name': name } });

/** @param {Ranges} ranges */
const publicAddresses = ({ refusedIpv4, globalUnicastIpv6, refusedIpv6 }) => [
  { ipBlock: { cidr: '0.0.0.0/0', except: refusedIpv4.map(({ cidr }) => cidr) } },
  { ipBlock: { cidr: globalUnicastIpv6.cidr, except: refusedIpv6.map(({ cidr }) => cidr) } },
];
