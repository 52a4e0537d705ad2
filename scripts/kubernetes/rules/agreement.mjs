import { databases, find, nameOf, ofKind, podOf } from '../manifests.mjs';

/** @typedef {import('../render.mjs').Manifest} Manifest */

/**
 * @typedef {object} Contracts
 * @property {readonly string[]} services
 * @property {Readonly<Record<string, number>>} servicePorts
 * @property {number} operationsOffset
 * @property {number} operatorsOffset
 * @property {readonly string[]} servingOperators services with a port for operators
 * @property {readonly string[]} stateful
 * @property {readonly string[]} databases names in PostgreSQL
 * @property {number} bodyLimit bytes
 * @property {readonly string[]} pagePaths paths of the pages of the gateway, with `:name` for a part that varies
 * @property {readonly { durable: string, service: string }[]} workers services that handle events, with their consumer
 */

/** Which service is behind which public address, and the variable with its URL. */
const PUBLIC = {
  api: { service: 'gateway', variable: 'BASE_URL' },
  embed: { service: 'embed-gateway', variable: 'EMBED_API_URL' },
  operators: { service: 'marketplace-admin', variable: undefined },
};

/** Connections of one process besides those of DATABASE_POOL_SIZE: the narrow pool, the relay and work that holds a lock. */
const OTHER_CONNECTIONS = 4 + 3;
const DEFAULT_POOL_SIZE = 10;
/** Of the migration job, the operator and people. */
const SPARE_CONNECTIONS = 30;

/**
 * Names, ports and limits are those of the contracts, and what is said in several places is the same in each.
 * @param {readonly Manifest[]} manifests
 * @param {Contracts} contracts
 * @returns {string[]}
 */
export function agreementProblems(manifests, contracts) {
  return [
    ...contracts.services.flatMap((service) => servicePortProblems(service, manifests, contracts)),
    ...publicProblems(manifests),
    ...hostProblems(manifests),
    ...plaintextProblems(manifests, contracts),
    ...tlsProblems(manifests),
    ...bodyLimitProblems(manifests, contracts),
    ...connectionProblems(manifests, contracts),
    ...lagProblems(manifests, contracts),
    ...citusProblems(manifests, contracts),
  ];
}

/**
 * @param {string} name
 * @param {readonly Manifest[]} manifests
 * @param {Contracts} contracts
 */
function servicePortProblems(name, manifests, contracts) {
  const { servicePorts, operationsOffset, operatorsOffset, servingOperators } = contracts;
  const deployment = find(manifests, 'Deployment', name);
  const service = find(manifests, 'Service', name);
  if (!deployment || !service) return [`${name}: it has no deployment or no service`];
  const port = /** @type {number} */ (servicePorts[name]);
  const operators = servingOperators.includes(name) ? [`operators ${port + operatorsOffset}`] : [];
  const wanted = [`http ${port}`, `operations ${port + operationsOffset}`, ...operators];
  const open = podOf(deployment).spec.containers[0].ports.map(
    (/** @type {any} */ entry) => `${entry.name} ${entry.containerPort}`,
  );
  const served = service.spec.ports.map((/** @type {any} */ entry) => `${entry.name} ${entry.port}`);
  const image = podOf(deployment).spec.containers[0].image.replace(/^.*(crm\/[^:@/]+)[^/]*$/, '$1');
  return [
    ...(String(open) === String(wanted) ? [] : [`${nameOf(deployment)}: its ports are ${open}, not ${wanted}`]),
    ...(String(served) === String(wanted) ? [] : [`${nameOf(service)}: its ports are ${served}, not ${wanted}`]),
    ...(image === `crm/${name}` ? [] : [`${nameOf(deployment)}: its image is ${image}, not crm/${name}`]),
    ...(podOf(deployment).spec.serviceAccountName === name
      ? []
      : [`${nameOf(deployment)}: its account is not its own`]),
  ];
}

/** @param {readonly Manifest[]} manifests */
function publicProblems(manifests) {
  const gateway = find(manifests, 'Gateway', 'public', 'crm-public');
  const certificate = find(manifests, 'Certificate', 'public', 'crm-public');
  const settings = ofKind(manifests, 'ConfigMap').find(({ metadata }) => metadata.name.startsWith('platform'))?.data;
  return Object.entries(PUBLIC).flatMap(([name, { service, variable }]) => {
    const route = find(manifests, 'HTTPRoute', name);
    const host = route?.spec.hostnames[0];
    const listener = gateway?.spec.listeners.find((/** @type {any} */ candidate) => candidate.name === name);
    const backends = route?.spec.rules.flatMap((/** @type {any} */ { backendRefs }) => backendRefs) ?? [];
    const problems = [];
    if (backends.length !== 1 || backends[0].name !== service) problems.push(`it does not lead to ${service}`);
    if (listener?.hostname !== host || listener?.protocol !== 'HTTPS')
      problems.push('it has no listener with TLS for its host name');
    if (!certificate?.spec.dnsNames.includes(host)) problems.push(`no certificate names ${host}`);
    if (variable && settings?.[variable] !== `https://${host}`) problems.push(`${variable} is not https://${host}`);
    return problems.map((problem) => `HTTPRoute/${name}: ${problem}`);
  });
}

/**
 * Each public address has a host of its own, so that a browser keeps what belongs to one apart from the others.
 * @param {readonly Manifest[]} manifests
 */
function hostProblems(manifests) {
  const hosts = Object.keys(PUBLIC).map((name) => find(manifests, 'HTTPRoute', name)?.spec.hostnames[0]);
  return Object.keys(PUBLIC)
    .filter((_name, index) => hosts.indexOf(hosts[index]) !== index)
    .map((name) => `HTTPRoute/${name}: another public address has its host name`);
}

/**
 * A listener without TLS leads to nothing but redirects of pages: a call that was redirected would send its token in the clear
 * again and again.
 * @param {readonly Manifest[]} manifests
 * @param {Contracts} contracts
 */
function plaintextProblems(manifests, { pagePaths }) {
  const gateway = find(manifests, 'Gateway', 'public', 'crm-public');
  /** @type {any[]} */
  const listeners = gateway?.spec.listeners ?? [];
  const plain = listeners.filter(({ protocol }) => protocol !== 'HTTPS').map(({ name }) => name);
  const api = find(manifests, 'HTTPRoute', 'api')?.spec.hostnames[0];
  const pages = pagePaths.map(matchOfPage);
  return ofKind(manifests, 'HTTPRoute').flatMap((route) => {
    const { parentRefs, hostnames, rules } = route.spec;
    if (Object.hasOwn(PUBLIC, route.metadata.name)) return [];
    // A reference without a section is one to every listener.
    if (
      !parentRefs.some((/** @type {any} */ { sectionName }) => sectionName === undefined || plain.includes(sectionName))
    )
      return [];
    const problems = rules.flatMap((/** @type {any} */ { matches = [], filters = [], backendRefs = [] }) => {
      const [filter] = filters;
      const redirects = filter?.type === 'RequestRedirect' && filter.requestRedirect.scheme === 'https';
      const paths = matches.map((/** @type {any} */ { path }) => `${path?.type} ${path?.value}`);
      const others = paths.filter((/** @type {string} */ path) => !pages.includes(path));
      return [
        ...(redirects && backendRefs.length === 0 ? [] : ['it does more than to redirect what comes without TLS']),
        ...(paths.length === 0 ? ['it redirects every path, calls of the API included'] : []),
        ...others.map((/** @type {string} */ path) => `it redirects ${path}, which is not a page`),
      ];
    });
    if (String(hostnames) !== String([api])) problems.push(`it redirects pages of ${hostnames}, which ${api} has`);
    return problems.map((/** @type {string} */ problem) => `${nameOf(route)}: ${problem}`);
  });
}

/** In the terms of NGINX Gateway Fabric. */
const TLS_OPTIONS = {
  'nginx.org/ssl-protocols': /^TLSv1\.2 TLSv1\.3$/,
  // Of TLS 1.2: forward secrecy and authenticated encryption.
  'nginx.org/ssl-ciphers': /^(ECDHE-(ECDSA|RSA)-(AES(128|256)-GCM-SHA(256|384)|CHACHA20-POLY1305)(:|$))+$/,
  'nginx.org/ssl-prefer-server-ciphers': /^on$/,
};

/**
 * Every public listener names its versions and suites.
 * @param {readonly Manifest[]} manifests
 */
function tlsProblems(manifests) {
  const gateway = find(manifests, 'Gateway', 'public', 'crm-public');
  /** @type {any[]} */
  const listeners = gateway?.spec.listeners ?? [];
  return listeners
    .filter(({ protocol }) => protocol === 'HTTPS')
    .flatMap(({ name, tls }) =>
      Object.entries(TLS_OPTIONS)
        .filter(([option, wanted]) => !wanted.test(tls.options?.[option] ?? ''))
        .map(([option]) => `Gateway/public: ${option} of the listener ${name} is ${tls.options?.[option]}`),
    );
}

/** @param {string} page */
const matchOfPage = (page) => (page.includes('/:') ? `PathPrefix ${page.replace(/\/:.*$/, '')}` : `Exact ${page}`);

/** @param {readonly Manifest[]} manifests @param {Contracts} contracts */
function bodyLimitProblems(manifests, { bodyLimit }) {
  const policy = ofKind(manifests, 'ClientSettingsPolicy').find(({ spec }) => spec.targetRef.kind === 'Gateway');
  // The units of nginx: k and m, powers of two.
  const [, number, unit] = /^(\d+)([km]?)$/.exec(policy?.spec.body?.maxSize ?? '') ?? [];
  const bytes = Number(number) * { '': 1, k: 2 ** 10, m: 2 ** 20 }[/** @type {'' | 'k' | 'm'} */ (unit ?? '')];
  return bytes === bodyLimit
    ? []
    : [`ClientSettingsPolicy: bodies may have ${bytes} bytes in front of the services and ${bodyLimit} in them`];
}

/**
 * Every process at its most, with one more of each while a release rolls out.
 * @param {readonly Manifest[]} manifests
 * @param {Contracts} contracts
 */
function connectionProblems(manifests, { stateful }) {
  const needed = stateful.reduce((sum, name) => {
    const deployment = find(manifests, 'Deployment', name);
    const scaler = find(manifests, 'HorizontalPodAutoscaler', name);
    const most = scaler?.spec.maxReplicas ?? deployment?.spec.replicas ?? 0;
    const env = deployment ? podOf(deployment).spec.containers[0].env : [];
    const pool =
      env.find((/** @type {any} */ entry) => entry.name === 'DATABASE_POOL_SIZE')?.value ?? DEFAULT_POOL_SIZE;
    return sum + (most + 1) * (Number(pool) + OTHER_CONNECTIONS);
  }, SPARE_CONNECTIONS);
  const database = manifests.find(({ kind, metadata }) => kind === 'Cluster' && metadata.name === 'crm-db');
  const most = Number(database?.spec.postgresql.parameters.max_connections);
  return needed <= most ? [] : [`Cluster/crm-db: ${needed} connections are needed, and ${most} allowed`];
}

/**
 * Where one worker is scaled by its lag (k8s/components/scaling-by-lag) each is, by that of its own consumer. That the metric
 * is one of ours a test of scripts/observability sees.
 * @param {readonly Manifest[]} manifests
 * @param {Contracts} contracts
 */
function lagProblems(manifests, { workers }) {
  const scalers = ofKind(manifests, 'HorizontalPodAutoscaler');
  if (!scalers.some((scaler) => externalMetricsOf(scaler).length > 0)) return [];
  return scalers.flatMap((scaler) => {
    const durable = workers.find(({ service }) => service === scaler.metadata.name)?.durable;
    const consumers = externalMetricsOf(scaler).map(({ selector }) => selector?.matchLabels?.consumer);
    return String(consumers) === String(durable ? [durable] : [])
      ? []
      : [`${nameOf(scaler)}: it looks at the lag of "${consumers}" instead of "${durable ?? ''}"`];
  });
}

/**
 * The external metrics that an autoscaler looks at.
 * @param {Manifest} scaler
 * @returns {{ name: string, selector?: { matchLabels?: Record<string, string> } }[]}
 */
export const externalMetricsOf = (scaler) =>
  scaler.spec.metrics.flatMap((/** @type {any} */ { external }) => external?.metric ?? []);

/**
 * The job that makes the nodes of Citus known knows every database and every worker.
 * @param {readonly Manifest[]} manifests
 * @param {Contracts} contracts
 */
function citusProblems(manifests, contracts) {
  const job = find(manifests, 'Job', 'register-nodes');
  const workers = databases(manifests).filter(({ metadata }) => metadata.name !== 'crm-db');
  if (!job) return workers.map((worker) => `${nameOf(worker)}: nothing makes it known to the coordinator`);
  const { env } = podOf(job).spec.containers[0];
  const expected = {
    DATABASES: [...contracts.databases].sort().join(' '),
    WORKERS: workers.map(({ metadata }) => `${metadata.name}-rw`).join(' '),
  };
  return Object.entries(expected)
    .filter(([name, value]) => env.find((/** @type {any} */ entry) => entry.name === name)?.value !== value)
    .map(([name, value]) => `${nameOf(job)}: ${name} is not ${value}`);
}
