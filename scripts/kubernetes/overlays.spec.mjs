// What must agree in the manifests of every overlay, and with the contracts. Schemas and the rules that hold for any manifest are
// left to kubeconform and kube-linter (.github/workflows/ci.yml).
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { parse, stringify } from 'yaml';
import { ROUTES } from '../../apps/gateway/src/routing/routing.js';
import * as connections from '../../libs/contracts/src/connections.js';
import { DATABASES } from '../../libs/contracts/src/databases.js';
import { PAGE_PATHS } from '../../libs/contracts/src/page-paths.js';
import * as services from '../../libs/contracts/src/services.js';
import { CONSUMERS } from '../../libs/contracts/src/streams.js';
import { DEFAULT_BODY_LIMIT } from '../../libs/http/src/route/route.decorators.js';
import { readCompose } from '../deployment/compose-file.mjs';
import { serviceVariables } from '../deployment/service-variables.mjs';
import { inRoot } from '../root.mjs';
import { mountedSecret, variableProblems } from './environment.mjs';
import { handMadeSecrets } from './hand-made-secrets.mjs';
import { OVERLAYS, renderFolder } from './render.mjs';

/** @typedef {import('./render.mjs').Manifest} Manifest */

const { DEVELOPMENT_PORTS, OPERATIONS_PORT_OFFSET, OPERATORS_PORT_OFFSET, SERVICES, servesOperators } = services;

const STATEFUL = Object.keys(DATABASES);
const HAND_MADE = handMadeSecrets({ services: SERVICES, stateful: STATEFUL });
const { version } = JSON.parse(await readFile(inRoot('package.json'), 'utf8'));
const compose = await readCompose();

/** Which service is behind which public address, and the variable with its URL. */
const PUBLIC = /** @type {const} */ ([
  ['api', 'gateway', 'BASE_URL'],
  ['embed', 'embed-gateway', 'EMBED_API_URL'],
  ['operators', 'marketplace-admin', undefined],
]);

/** Connections of one process besides those of DATABASE_POOL_SIZE: the narrow pool, the relay and work that holds a lock. */
const OTHER_CONNECTIONS = 4 + 3;
/** Those of costly queries, beside a pool of so many. @param {string} service @param {number} pool */
const costlyConnections = (service, pool) => (service === 'custom-objects' ? Math.floor(pool / 2) : 0);
const DEFAULT_POOL_SIZE = 10;
/** Connections of the migration job, the operator, and people. */
const SPARE_CONNECTIONS = 30;
/** Seconds after the drain at which a service ends a shutdown that hangs (libs/runtime/src/start-service.ts). */
const SHUTDOWN_GRACE_SECONDS = 10;

/** In the terms of NGINX Gateway Fabric; of TLS 1.2: forward secrecy and authenticated encryption. */
const TLS_OPTIONS = {
  'nginx.org/ssl-protocols': 'TLSv1.2 TLSv1.3',
  'nginx.org/ssl-ciphers': expect.stringMatching(
    /^(ECDHE-(ECDSA|RSA)-(AES(128|256)-GCM-SHA(256|384)|CHACHA20-POLY1305)(:|$))+$/,
  ),
  'nginx.org/ssl-prefer-server-ciphers': 'on',
};

/** What instances of PostgreSQL need among themselves, and with their operator. @param {string} labels */
const instances = (labels) => [
  `from ${labels} 5432,8000`,
  'from cnpg-system/cloudnative-pg 5432,8000',
  'from observability 9187',
  `to ${labels} 5432,8000`,
  'to kube-system/kube-dns 53,53',
  'to 0.0.0.0/0 ::/0 443,6443',
];
/** The services that look on each node of Citus for what is to be done. */
const ON_EACH_NODE = Object.entries(DATABASES).flatMap(([service, { distributed }]) => (distributed ? [service] : []));
/** What the policies allow that are not made from the contracts: of every overlay, and of some. */
const POLICIES = {
  'nats-servers': ['from nats 6222', 'from observability 8222', 'to nats 6222', 'to kube-system/kube-dns 53,53'],
  'database-instances': instances('crm-db'),
};
/** @type {Record<string, Record<string, string[]>>} */
const POLICIES_OF_OVERLAYS = {
  dev: { 'identity-to-mailpit': ['to mailpit 1025'], mailpit: ['from identity 1025'] },
  'production-citus': {
    'citus-nodes': [
      ...instances('node'),
      ...['register-nodes', 'migrate', ...ON_EACH_NODE].map((name) => `from ${name} 5432`),
    ],
    'to-citus-nodes': ['to node 5432'],
    'register-nodes': ['to node 5432', 'to kube-system/kube-dns 53,53'],
  },
};

/** Renders a copy in which something is changed.
 * @param {string} overlay @param {string} file of the overlay @param {(content: any) => void} change */
async function renderChanged(overlay, file, change) {
  const copy = await mkdtemp(path.join(os.tmpdir(), 'crm-k8s-'));
  try {
    await cp(inRoot('k8s'), copy, { recursive: true });
    const folder = path.join(copy, 'overlays', overlay);
    const content = parse(await readFile(path.join(folder, file), 'utf8'));
    change(content);
    await writeFile(path.join(folder, file), stringify(content));
    return await renderFolder(folder);
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

/** What is rendered already, by overlay and component. @type {Map<string, Promise<Manifest[]>>} */
const rendered = new Map();
/** The same for every test: none changes it. @param {string} overlay @param {string} [component] of k8s/components */
function renderWith(overlay, component) {
  const key = `${overlay} ${component ?? ''}`.trim();
  const manifests =
    rendered.get(key) ??
    renderChanged(overlay, 'kustomization.yaml', ({ components }) => {
      if (component) components.push(`../../components/${component}`);
    });
  rendered.set(key, manifests);
  return manifests;
}

const ofKind = (/** @type {readonly Manifest[]} */ all, /** @type {string} */ kind) =>
  all.filter((one) => one.kind === kind);

/** @param {readonly Manifest[]} all @param {string} kind
 * @param {string} name without the hash that kustomize adds to that of a ConfigMap @returns {any} */
function get(all, kind, name) {
  const hash = kind === 'ConfigMap' ? /-[a-z0-9]{10}$/ : /$/;
  const found = ofKind(all, kind).find(({ metadata }) => metadata.name.replace(hash, '') === name);
  if (!found) throw new Error(`There is no ${kind} ${name}`);
  return found;
}

const list = (/** @type {any} */ value) => /** @type {any[]} */ (value ?? []);
const containerOf = (/** @type {Manifest} */ workload) => workload.spec.template.spec.containers[0];
const variableOf = (/** @type {Manifest} */ workload, /** @type {string} */ variable) =>
  list(containerOf(workload).env).find(({ name }) => name === variable)?.value;
const externalMetrics = (/** @type {Manifest} */ { spec }) =>
  list(spec.metrics).flatMap(({ external }) => external ?? []);

/** What a policy allows, as `from gateway 4001`. @param {Manifest} policy */
const arrowsOf = ({ spec }) =>
  [...list(spec.ingress), ...list(spec.egress)].map(({ from, to, ports }) => {
    const peers = list(from ?? to).map(({ ipBlock, namespaceSelector, podSelector }) => {
      const selectors = [namespaceSelector, podSelector].filter((one) => one !== undefined);
      return ipBlock?.cidr ?? selectors.flatMap(({ matchLabels }) => Object.values(matchLabels)).join('/');
    });
    return `${from ? 'from' : 'to'} ${peers.join(' ')} ${list(ports).map(({ port }) => port)}`;
  });

// Production also with each of the components that an overlay may choose.
const components = ['scaling-by-lag', 'cilium', 'vault'].map((component) => ['production', component]);
describe.each([...OVERLAYS.map((overlay) => [overlay]), ...components])('%s %s', (overlay = '', component = '') => {
  /** @type {Manifest[]} */
  let all;
  beforeAll(async () => {
    all = await renderWith(overlay, component);
  });

  it('gives every program the environment that it reads', async () => {
    expect(await variableProblems(all, HAND_MADE)).toEqual([]);
  });

  it.each([...SERVICES])('runs %s by its command, at the ports of the contracts', (name) => {
    const deployment = get(all, 'Deployment', name);
    const { args, image, ports } = containerOf(deployment);
    expect(args).toEqual([`${name}/main.js`]);
    expect(image).toMatch(new RegExp(`(^|/)crm/platform(:${version.replaceAll('.', '\\.')}|@sha256:[0-9a-f]{64})$`));
    const port = DEVELOPMENT_PORTS[name];
    const wanted = Object.entries({
      http: port,
      operations: port + OPERATIONS_PORT_OFFSET,
      ...(servesOperators(name) && { operators: port + OPERATORS_PORT_OFFSET }),
    });
    expect(ports).toEqual(wanted.map(([title, number]) => ({ name: title, containerPort: number })));
    expect(get(all, 'Service', name).spec).toEqual({
      selector: expect.objectContaining({ 'app.kubernetes.io/name': name }),
      ports: wanted.map(([title, number]) => ({ name: title, port: number, targetPort: title })),
    });
    expect(deployment.spec.template.spec.serviceAccountName).toBe(name);
    const { startupProbe, livenessProbe, readinessProbe } = containerOf(deployment);
    const asked = [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => `${httpGet.port} ${httpGet.path}`);
    expect(asked).toEqual(['operations /livez', 'operations /livez', 'operations /readyz']);
  });

  it.each([...SERVICES])('has %s speak HTTPS, and call others by a name that their certificates have', (name) => {
    const deployment = get(all, 'Deployment', name);
    const fileOf = (/** @type {string} */ variable) => mountedSecret(deployment, variableOf(deployment, variable));
    const secret = get(all, 'Certificate', name).spec.secretName;
    expect(fileOf('TLS_CERT_FILE')).toEqual({ secret, key: 'tls.crt' });
    expect(fileOf('TLS_KEY_FILE')).toEqual({ secret, key: 'tls.key' });
    expect(get(all, 'Certificate', name).spec.dnsNames).toEqual([name, `${name}.crm.svc`]);
    for (const { value = '' } of containerOf(deployment).env) {
      const url = /^https?:/.test(value) ? new URL(value) : undefined;
      const called = SERVICES.find((service) => service === url?.hostname.split('.')[0]);
      if (!url || !called) continue;
      const { dnsNames, issuerRef } = get(all, 'Certificate', called).spec;
      // The address of operators calls the ports for them.
      const port = DEVELOPMENT_PORTS[called] + (name === 'marketplace-admin' ? OPERATORS_PORT_OFFSET : 0);
      expect([url.protocol, Number(url.port)]).toEqual(['https:', port]);
      expect(dnsNames).toContain(url.hostname);
      // The authority that it trusts is beside its own certificate.
      expect(fileOf('UPSTREAM_CA_FILE')).toEqual({ secret, key: 'ca.crt' });
      expect(get(all, 'Certificate', name).spec.issuerRef).toEqual(issuerRef);
    }
  });

  it.each(PUBLIC)('leads the public address %s with TLS to %s alone', (address, service, variable) => {
    const { hostnames, parentRefs, rules } = get(all, 'HTTPRoute', address).spec;
    const gateway = get(all, 'Gateway', 'public');
    const listener = list(gateway.spec.listeners).find(({ name }) => name === address);
    const certificate = get(all, 'Certificate', 'public');
    expect(parentRefs).toEqual([{ name: 'public', namespace: gateway.metadata.namespace, sectionName: address }]);
    expect(rules).toEqual([{ backendRefs: [{ name: service, port: DEVELOPMENT_PORTS[service] }] }]);
    expect(listener).toMatchObject({ hostname: hostnames[0], protocol: 'HTTPS', tls: { options: TLS_OPTIONS } });
    expect(listener.tls.certificateRefs).toEqual([{ name: certificate.spec.secretName }]);
    expect(certificate.spec.dnsNames).toContain(hostnames[0]);
    if (variable) expect(get(all, 'ConfigMap', 'platform').data[variable]).toBe(`https://${hostnames[0]}`);
    const { targetRefs, validation } = get(all, 'BackendTLSPolicy', service).spec;
    expect(targetRefs).toEqual([{ group: '', kind: 'Service', name: service }]);
    expect(get(all, 'Certificate', service).spec.dnsNames).toContain(validation.hostname);
    const { secretName } = get(all, 'Certificate', service).spec;
    expect(validation.caCertificateRefs).toEqual([{ group: '', kind: 'Secret', name: secretName }]);
  });

  it('has a host for each public address, and redirects nothing but pages of the API without TLS', () => {
    const hosts = PUBLIC.map(([address]) => get(all, 'HTTPRoute', address).spec.hostnames[0]);
    expect(new Set(hosts).size).toBe(hosts.length);
    const routes = ofKind(all, 'HTTPRoute').map(({ metadata }) => metadata.name);
    expect(routes.sort()).toEqual([...PUBLIC.map(([address]) => address), 'pages-to-https'].sort());
    const { listeners } = get(all, 'Gateway', 'public').spec;
    const plain = list(listeners).filter(({ protocol }) => protocol !== 'HTTPS');
    // A call that was redirected would send its token in the clear again and again.
    const pages = PAGE_PATHS.map((page) => {
      const type = page.includes('/:') ? 'PathPrefix' : 'Exact';
      return { path: { type, value: page.replace(/\/:.*$/, '') } };
    });
    const [{ matches, filters }] = get(all, 'HTTPRoute', 'pages-to-https').spec.rules;
    expect(get(all, 'HTTPRoute', 'pages-to-https').spec).toEqual({
      parentRefs: plain.map(({ name }) => ({ name: 'public', sectionName: name })),
      hostnames: [hosts[0]],
      rules: [{ matches, filters }],
    });
    expect(filters).toEqual([{ type: 'RequestRedirect', requestRedirect: { scheme: 'https', statusCode: 301 } }]);
    expect(pages).toEqual(expect.arrayContaining(matches));
  });

  it('allows no connection but those of the contracts and of its servers', () => {
    const everything = { podSelector: {}, policyTypes: ['Ingress', 'Egress'] };
    expect(get(all, 'NetworkPolicy', 'default-deny').spec).toEqual(everything);
    // Those of the contracts are in a file that is made from them.
    const made = connections.CONNECTIONS.flatMap(({ from, to }) => [from, to, 'default-deny']);
    const byHand = ofKind(all, 'NetworkPolicy').filter(({ metadata }) => !made.includes(metadata.name));
    const allowed = byHand.map((policy) => [policy.metadata.name, arrowsOf(policy).sort()]);
    const wanted = Object.entries({ ...POLICIES, ...POLICIES_OF_OVERLAYS[overlay] });
    expect(Object.fromEntries(allowed)).toEqual(
      Object.fromEntries(wanted.map(([name, arrows]) => [name, arrows.sort()])),
    );
  });

  it('allows no connection without encryption, and lets the bodies through that services accept', () => {
    expect(JSON.stringify(all)).not.toContain('ALLOW_PLAINTEXT');
    expect(get(all, 'ClientSettingsPolicy', 'public').spec.body.maxSize).toBe(`${DEFAULT_BODY_LIMIT / 2 ** 20}m`);
  });

  it('has as many connections of PostgreSQL as all processes need at their most, one more of each during a release', () => {
    const needed = STATEFUL.reduce((sum, name) => {
      const scaler = ofKind(all, 'HorizontalPodAutoscaler').find(({ metadata }) => metadata.name === name);
      const deployment = get(all, 'Deployment', name);
      const most = scaler?.spec.maxReplicas ?? deployment.spec.replicas;
      const pool = Number(variableOf(deployment, 'DATABASE_POOL_SIZE') ?? DEFAULT_POOL_SIZE);
      return sum + (most + 1) * (pool + costlyConnections(name, pool) + OTHER_CONNECTIONS);
    }, SPARE_CONNECTIONS);
    const { max_connections } = get(all, 'Cluster', 'crm-db').spec.postgresql.parameters;
    expect(Number(max_connections)).toBeGreaterThanOrEqual(needed);
  });

  it('gives a service the time to drain, and has servers of NATS hand over before they end', () => {
    const { DRAIN_SECONDS } = get(all, 'ConfigMap', 'platform').data;
    for (const name of SERVICES) {
      const deployment = get(all, 'Deployment', name);
      const { seconds } = containerOf(deployment).lifecycle.preStop.sleep;
      expect(deployment.spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(
        seconds + Number(DRAIN_SECONDS) + SHUTDOWN_GRACE_SECONDS,
      );
    }
    const nats = get(all, 'StatefulSet', 'nats');
    const [, leaves] = /lame_duck_duration: "(\d+)s"/.exec(get(all, 'ConfigMap', 'nats').data['nats.conf']) ?? [];
    expect(containerOf(nats).lifecycle.preStop).toBeDefined();
    expect(nats.spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(Number(leaves));
  });

  it('has servers of NATS that store less than their volumes hold', () => {
    const nats = get(all, 'StatefulSet', 'nats');
    const mebibytes = (/** @type {string} */ size) => Number.parseInt(size, 10) * (/^\d+G/.test(size) ? 1024 : 1);
    const { storage } = nats.spec.volumeClaimTemplates[0].spec.resources.requests;
    // The file system itself and the logs of the copies need the rest.
    expect(mebibytes(variableOf(nats, 'NATS_MAX_FILE_STORE'))).toBeLessThanOrEqual(mebibytes(storage) * 0.92);
    expect(get(all, 'ConfigMap', 'nats').data['nats.conf']).toContain('max_file_store: $NATS_MAX_FILE_STORE\n');
    // From which the limits of the streams follow.
    expect(variableOf(get(all, 'Job', 'migrate'), 'NATS_MAX_FILE_STORE')).toBe(variableOf(nats, 'NATS_MAX_FILE_STORE'));
  });

  it('keeps each change on two instances, archives its WAL and makes base backups, outside of dev', () => {
    if (overlay === 'dev') return;
    for (const { metadata, spec } of ofKind(all, 'Cluster')) {
      expect(spec).toMatchObject({ instances: 3, postgresql: { synchronous: { dataDurability: 'required' } } });
      const archiver = list(spec.plugins).find(({ isWALArchiver }) => isWALArchiver);
      const store = get(all, 'ObjectStore', archiver.parameters.barmanObjectName);
      const keys = HAND_MADE.find(({ name }) => name === 'backup-store')?.keys ?? {};
      for (const reference of Object.values(store.spec.configuration.s3Credentials)) {
        expect(reference).toEqual({ name: 'backup-store', key: expect.stringMatching(Object.keys(keys).join('|')) });
      }
      const schedule = ofKind(all, 'ScheduledBackup').find((one) => one.spec.cluster.name === metadata.name);
      expect(schedule?.spec.pluginConfiguration.name).toBe(archiver.name);
      expect(schedule?.spec.suspend ?? false).toBe(false);
    }
  });

  it('has the steps of a release apply everything, in namespaces of ours', () => {
    const places = all.map(({ kind, metadata: { name, namespace, labels } }) => {
      const isKnown = ['crm', 'crm-public'].includes(namespace ?? '') || ['ClusterIssuer', 'Namespace'].includes(kind);
      return isKnown && /^(servers|migration|registration|services)$/.test(labels?.['crm/stage'] ?? '') ? '' : name;
    });
    expect(places.filter((name) => name !== '')).toEqual([]);
  });

  it('runs the servers of docker-compose.yml, in their versions', () => {
    const images = [
      ...['StatefulSet', 'Deployment'].flatMap((kind) => ofKind(all, kind).map((one) => containerOf(one).image)),
      ...ofKind(all, 'Cluster').map(({ spec }) => spec.imageName.replace(/^.*\/postgres(ql|-citus):/, 'postgres:')),
    ].filter((image) => !image.includes('crm/platform'));
    const versionOf = (/** @type {string} */ image) => image.replace(/^(postgres:[\d.]+)-.*/, '$1');
    const composed = Object.values(compose.services).map(({ image }) => versionOf(image));
    expect(images.length).toBeGreaterThan(2);
    for (const image of images) expect(composed).toContain(versionOf(image));
  });
});

describe('the components', () => {
  it('scale each worker by the processor and by its own lag, where that is chosen', async () => {
    const workers = Object.values(CONSUMERS).filter(({ events }) => events === 'all');
    const scalers = ofKind(await renderWith('production', 'scaling-by-lag'), 'HorizontalPodAutoscaler');
    const byLag = scalers.filter((scaler) => externalMetrics(scaler).length > 0);
    expect(
      byLag.map(({ metadata, spec }) => [metadata.name, list(spec.metrics).map(({ type }) => type)]).sort(),
    ).toEqual(workers.map(({ service }) => [service, ['Resource', 'External']]).sort());
    for (const scaler of byLag) {
      const durable = workers.find(({ service }) => service === scaler.metadata.name)?.durable;
      expect(externalMetrics(scaler)[0].metric.selector.matchLabels).toEqual({ consumer: durable });
    }
    const otherwise = ofKind(await renderWith('production'), 'HorizontalPodAutoscaler');
    expect(otherwise.flatMap(externalMetrics)).toEqual([]);
  });

  it('let every instance of PostgreSQL reach the API of Kubernetes with Cilium, on the ports of the policy beside', async () => {
    const all = await renderWith('production', 'cilium');
    const { spec } = get(all, 'CiliumNetworkPolicy', 'database-to-kubernetes-api');
    // The operator gives each of its pods this label.
    expect(spec.endpointSelector).toEqual({ matchExpressions: [{ key: 'cnpg.io/cluster', operator: 'Exists' }] });
    const { ports } = get(all, 'NetworkPolicy', 'database-instances').spec.egress.at(-1);
    const toPorts = [{ ports: list(ports).map(({ port }) => ({ port: String(port), protocol: 'TCP' })) }];
    expect(spec.egress).toEqual([{ toEntities: ['kube-apiserver'], toPorts }]);
  });

  it('fill every secret that production refers to and people make from a vault, and keep it when an entry is lost', async () => {
    const all = await renderWith('production', 'vault');
    const filled = ofKind(all, 'ExternalSecret');
    const text = JSON.stringify(all.filter((one) => !filled.includes(one)));
    const needed = HAND_MADE.filter(({ name }) => text.includes(`"name":"${name}"`));
    expect(filled).toHaveLength(needed.length);
    for (const { name, keys } of needed) {
      expect(get(all, 'ExternalSecret', name).spec).toMatchObject({
        secretStoreRef: { kind: 'ClusterSecretStore', name: 'crm' },
        target: { name, creationPolicy: 'Orphan', deletionPolicy: 'Retain' },
        data: Object.keys(keys).map((key) => ({ secretKey: key, remoteRef: { key: `crm/${name}`, property: key } })),
      });
    }
  });

  it('make every worker of Citus known, reachable for the migration job and the relays, and part of each restore point', async () => {
    const all = await renderWith('production-citus');
    const workers = ofKind(all, 'Cluster').filter(({ metadata }) => metadata.name !== 'crm-db');
    const names = workers.map(({ metadata }) => `${metadata.name}-rw`).join(' ');
    expect(variableOf(get(all, 'Job', 'register-nodes'), 'WORKERS')).toBe(names);
    const [{ values }] = get(all, 'NetworkPolicy', 'to-citus-nodes').spec.podSelector.matchExpressions;
    expect(values).toEqual([...ON_EACH_NODE, 'migrate'].sort());
    for (const { spec } of workers) expect(spec.certificates).toEqual({ serverCASecret: 'crm-db-ca' });
    const [restorePoint] = get(all, 'CronJob', 'restore-point').spec.jobTemplate.spec.template.spec.containers;
    const { value } = list(restorePoint.env).find(({ name }) => name === 'PGDATABASE');
    const distributed = Object.values(DATABASES).filter((one) => one.distributed);
    expect(distributed.map(({ database }) => database)).toContain(value);
  });
});

describe('addresses.yaml of production', () => {
  it('is the only place to change an address', async () => {
    const own = {
      api: 'api.crm.acme.test',
      embed: 'embed.crm.acme.test',
      operators: 'operators.crm.acme.test',
      pods: '10.0.0.0/8',
      mailFrom: 'CRM platform <no-reply@crm.acme.test>',
    };
    /** Whatever stands there: anyone who runs the platform has their own, and runs this test on them. @type {string[]} */
    const before = [];
    const all = await renderChanged('production', 'addresses.yaml', (addresses) => {
      before.push(addresses.data.api, addresses.data.embed, addresses.data.operators, addresses.data.mailFrom);
      addresses.data = own;
    });
    const text = JSON.stringify(all);
    expect(before.filter((address) => text.includes(address))).toEqual([]);
    expect(text).toContain(own.mailFrom);
    expect(PUBLIC.map(([address]) => get(all, 'HTTPRoute', address).spec.hostnames[0])).toEqual(
      PUBLIC.map(([address]) => own[address]),
    );
    expect(get(all, 'ConfigMap', 'platform').data).toMatchObject({
      BASE_URL: `https://${own.api}`,
      EMBED_API_URL: `https://${own.embed}`,
      TRUSTED_PROXIES: own.pods,
    });
  });
});

describe('the rule for variables', () => {
  const at = (/** @type {any[]} */ env, /** @type {string} */ name) => env.findIndex((entry) => entry.name === name);

  /** @type {[problem: string, workload: string, breakIt: (env: any[]) => void][]} */
  const BROKEN = [
    [
      'nobody makes the secret of NATS_PASSWORD',
      'gateway',
      (env) => Object.assign(env[at(env, 'NATS_PASSWORD')].valueFrom.secretKeyRef, { key: 'gate' }),
    ],
    [
      'DATABASE_URL refers to DATABASE_PASSWORD, which is not set before it',
      'identity',
      (env) => env.push(...env.splice(at(env, 'DATABASE_PASSWORD'), 1)),
    ],
    [
      'no secret is mounted there that has ca.crt',
      'gateway',
      (env) => Object.assign(env[at(env, 'UPSTREAM_CA_FILE')], { value: '/etc/crm/tls/authority.crt' }),
    ],
    // And what the configuration finds, as in scripts/deployment.
    ['IDENTITY_OWNER_PASSWORD is not set', 'migrate', (env) => env.splice(at(env, 'IDENTITY_OWNER_PASSWORD'), 1)],
  ];

  it.each(BROKEN)('finds: %s', async (problem, workload, breakIt) => {
    const production = await renderWith('production');
    const broken = structuredClone(get(production, workload === 'migrate' ? 'Job' : 'Deployment', workload));
    breakIt(containerOf(broken).env);
    const problems = await variableProblems([broken, ...ofKind(production, 'ConfigMap')], HAND_MADE);
    expect(problems).toContainEqual(expect.stringContaining(problem));
  });
});

describe('the connections of the contracts', () => {
  it('lead from the gateway to the services of its routes and to no other', () => {
    expect([...connections.BEHIND_GATEWAY].sort()).toEqual([...new Set(ROUTES.map(([, upstream]) => upstream))].sort());
  });

  it('lead to the internet, to mail and to Redis from the services whose configuration has something to do with them', async () => {
    /** @type {Record<string, string[]>} */
    const having = { EGRESS_ALLOW: [], REDIS_URL: [], SMTP_URL: [] };
    // One after the other: Jest cannot load a module of ours twice at the same time.
    for (const service of SERVICES) {
      const { known } = await serviceVariables(service);
      for (const [variable, services] of Object.entries(having)) if (known.includes(variable)) services.push(service);
    }
    expect(having).toEqual({
      EGRESS_ALLOW: connections.CALLERS_OF_THE_INTERNET,
      REDIS_URL: connections.COUNTERS_OF_LIMITS,
      SMTP_URL: connections.SENDERS_OF_MAIL,
    });
  });
});
