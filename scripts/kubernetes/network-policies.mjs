// For tests, which read TypeScript.
import { stringify } from 'yaml';
import { GLOBAL_UNICAST_IPV6, REFUSED_IPV4, REFUSED_IPV6 } from '../../libs/address-policy/src/address.js';
import { CONNECTIONS } from '../../libs/contracts/src/connections.js';
import { DEVELOPMENT_PORTS, OPERATIONS_PORT_OFFSET, OPERATORS_PORT_OFFSET } from '../../libs/contracts/src/services.js';

/** @typedef {import('../../libs/contracts/src/connections.js').ConnectionArrow} ConnectionArrow */
/** @typedef {import('../../libs/contracts/src/connections.js').ConnectionEnd} ConnectionEnd */

/** Where the peers outside our namespace run. An overlay for a cluster that names them otherwise patches the policies. */
const NAMESPACES = { public: 'crm-public', observability: 'observability', dns: 'kube-system' };

/** Pods of our namespace that are no services, by the labels that their makers give them. */
const POD_LABELS = {
  nats: { 'app.kubernetes.io/name': 'nats' },
  limits: { 'app.kubernetes.io/name': 'valkey' },
  migrate: { 'app.kubernetes.io/name': 'migrate' },
  // The operator's label: every instance of the cluster.
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

const cidrs = (/** @type {readonly { cidr: string }[]} */ ranges) => ranges.map(({ cidr }) => cidr);
/** Public addresses. */
const INTERNET = [
  { ipBlock: { cidr: '0.0.0.0/0', except: cidrs(REFUSED_IPV4) } },
  { ipBlock: { cidr: GLOBAL_UNICAST_IPV6.cidr, except: cidrs(REFUSED_IPV6) } },
];
/** @type {Readonly<Record<string, number>>} */
const SERVICE_PORTS = DEVELOPMENT_PORTS;

const HEADER = `# Who may connect to whom: one policy for each process, with the arrows of libs/contracts/src/connections.ts.
# Ranges that must not be called come from libs/address-policy. Made by: npm run docs
# Do not edit: a test compares it with the contracts. What else a cluster needs goes into a policy of its own; policies add up.
`;

/** The text of k8s/base/network/connections.yaml. */
export function networkPoliciesText() {
  const ends = [...new Set(CONNECTIONS.flatMap(({ from, to }) => [from, to]))];
  const inside = ends.filter((end) => !['public', 'observability', 'dns', 'mail', 'internet'].includes(end)).sort();
  const policies = inside.map((end) => {
    const incoming = CONNECTIONS.filter(({ to }) => to === end);
    const outgoing = CONNECTIONS.filter(({ from }) => from === end);
    const rules = {
      ...(incoming.length > 0 && { ingress: grouped(incoming, 'from') }),
      ...(outgoing.length > 0 && { egress: grouped(outgoing, 'to') }),
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
  return HEADER + policies.map((policy) => stringify(policy, { aliasDuplicateObjects: false })).join('---\n');
}

/** @param {ConnectionEnd} end @returns {Record<string, string>} */
const podLabels = (end) =>
  POD_LABELS[/** @type {keyof typeof POD_LABELS} */ (end)] ?? { 'app.kubernetes.io/name': end };

/** One rule for each set of ports, with all the peers that have it.
 * @param {readonly ConnectionArrow[]} arrows @param {'from' | 'to'} side of the peer */
function grouped(arrows, side) {
  /** @type {Map<string, { ports: object[], peers: object[] }>} */
  const rules = new Map();
  for (const arrow of arrows) {
    const protocols = arrow.port === 'dns' ? ['UDP', 'TCP'] : ['TCP'];
    const ports = portNumbers(arrow).flatMap((port) => protocols.map((protocol) => ({ port, protocol })));
    const rule = rules.get(JSON.stringify(ports)) ?? { ports, peers: [] };
    rule.peers.push(...peersOf(arrow[side]));
    rules.set(JSON.stringify(ports), rule);
  }
  return [...rules.values()].map(({ ports, peers }) => ({ [side]: peers, ports }));
}

/** @param {ConnectionArrow} arrow */
function portNumbers({ to, port }) {
  if (port !== 'http' && port !== 'operators' && port !== 'operations') return PEER_PORTS[port];
  const number = SERVICE_PORTS[to];
  if (number === undefined) throw new Error(`${to} has no port`);
  return [number + { http: 0, operators: OPERATORS_PORT_OFFSET, operations: OPERATIONS_PORT_OFFSET }[port]];
}

/** @param {ConnectionEnd} end */
function peersOf(end) {
  if (end === 'internet' || end === 'mail') return INTERNET;
  const namespace = NAMESPACES[/** @type {keyof typeof NAMESPACES} */ (end)];
  if (!namespace) return [{ podSelector: { matchLabels: podLabels(end) } }];
  const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': namespace } };
  return end === 'dns'
    ? [{ namespaceSelector, podSelector: { matchLabels: { 'k8s-app': 'kube-dns' } } }]
    : [{ namespaceSelector }];
}
