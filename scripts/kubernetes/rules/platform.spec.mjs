import { describe, expect, it } from '@jest/globals';
import { CONTEXT } from '../contracts.mjs';
import { podOf } from '../manifests.mjs';
import { renderOverlay } from '../render.mjs';
import { agreementProblems } from './agreement.mjs';
import { backupProblems } from './backups.mjs';
import { finds, gatewayContainer, get, productionManifests, remove } from './breaking.mjs';
import { eventStoreProblems } from './event-store.mjs';
import { isInRange, networkProblems } from './network.mjs';
import { placeProblems, schemaProblems } from './objects.mjs';
import { referenceProblems } from './references.mjs';

/** @typedef {import('../render.mjs').Manifest} Manifest */

/** @param {Manifest[]} manifests @param {string} service @param {string} variable @returns {any} */
const variable = (manifests, service, variable) =>
  podOf(get(manifests, 'Deployment', service)).spec.containers[0].env.find(
    (/** @type {any} */ { name }) => name === variable,
  );

describe('the schemas', () => {
  it('find mistyped fields, values of another type and unknown kinds, also of resources with a schema of our own', async () => {
    const broken = productionManifests();
    const deployment = get(broken, 'Deployment', 'gateway');
    Object.assign(gatewayContainer(broken), { livenesProbe: {} });
    Object.assign(gatewayContainer(broken).ports[0], { containerPort: '8080' });
    Object.assign(get(broken, 'Cluster', 'crm-db').spec, { instance: 3 });
    Object.assign(get(broken, 'Service', 'identity'), { apiVersion: 'example.com/v1' });
    delete get(broken, 'HorizontalPodAutoscaler', 'gateway').spec.maxReplicas;
    const problems = await schemaProblems(broken);
    expect(problems.toSorted()).toEqual(
      [
        'Deployment/gateway: /spec/template/spec/containers/0/ports/0/containerPort must be integer',
        `Deployment/gateway: /spec/template/spec/containers/0/livenesProbe is not a field of ${deployment.apiVersion}/Deployment`,
        'Cluster/crm-db: /spec must NOT have additional properties',
        'Service/identity: example.com/v1/Service has no schema',
        'HorizontalPodAutoscaler/gateway: /spec must have required property maxReplicas',
      ].toSorted(),
    );
  });
});

finds('the rules for objects', placeProblems, [
  [
    'an object that no step applies',
    (all) => delete get(all, 'Service', 'identity').metadata.labels['crm/stage'],
    'Service/identity: no step of a release applies it (crm/stage)',
  ],
  [
    'an object of another namespace',
    (all) => Object.assign(get(all, 'Service', 'identity').metadata, { namespace: 'default' }),
    'Service/identity: default is not a namespace of the platform',
  ],
  [
    'an object without a namespace',
    (all) => delete get(all, 'Service', 'identity').metadata.namespace,
    'Service/identity: it must name its namespace',
  ],
  [
    'an object that is there twice',
    (all) => all.push(get(all, 'Service', 'identity')),
    'crm v1 Service/identity: it is there twice',
  ],
]);

finds('the rules for references', (manifests) => referenceProblems(manifests, CONTEXT), [
  [
    'a policy for a service that is not there',
    (all) => Object.assign(get(all, 'BackendTLSPolicy', 'gateway').spec.targetRefs[0], { name: 'gate' }),
    'BackendTLSPolicy/gateway: there is no Service/gate',
  ],
  [
    'a policy with a secret that nobody makes',
    (all) =>
      Object.assign(get(all, 'BackendTLSPolicy', 'gateway').spec.validation.caCertificateRefs[0], { name: 'gate-tls' }),
    'BackendTLSPolicy/gateway: nobody makes the secret gate-tls',
  ],
  [
    'a secret that nobody makes',
    (all) => Object.assign(variable(all, 'gateway', 'NATS_PASSWORD').valueFrom.secretKeyRef, { name: 'nats-user' }),
    'Deployment/gateway: nobody makes the secret nats-user',
  ],
  [
    'a key that a secret does not have',
    (all) => Object.assign(variable(all, 'gateway', 'NATS_PASSWORD').valueFrom.secretKeyRef, { key: 'gate' }),
    'Deployment/gateway: the secret nats-users has no gate',
  ],
  [
    'a configuration that is not there',
    (all) => Object.assign(gatewayContainer(all).envFrom[0].configMapRef, { name: 'platform' }),
    'Deployment/gateway: there is no ConfigMap platform',
  ],
  [
    'a volume that is not there',
    (all) => Object.assign(gatewayContainer(all).volumeMounts[0], { name: 'elsewhere' }),
    'Deployment/gateway: service mounts elsewhere, which is not there',
  ],
  [
    'credentials of the backup that nobody makes',
    (all) =>
      Object.assign(get(all, 'ObjectStore', 'crm-db').spec.configuration.s3Credentials.accessKeyId, { key: 'id' }),
    'ObjectStore/crm-db: the secret backup-store has no id',
  ],
  [
    'a listener without its certificate',
    (all) => {
      get(all, 'Gateway', 'public', 'crm-public').spec.listeners[1].tls.certificateRefs[0].name = 'api-tls';
    },
    'Gateway/public: nobody makes the secret api-tls',
  ],
  [
    'a service with nothing behind it',
    (all) => Object.assign(get(all, 'Service', 'gateway').spec, { selector: { 'app.kubernetes.io/name': 'gate' } }),
    'Service/gateway: 0 workloads are behind it instead of one',
  ],
  [
    'a port on which nobody listens',
    (all) => Object.assign(get(all, 'Service', 'gateway').spec.ports[0], { targetPort: 'web' }),
    'Service/gateway: no container listens on its port http 8080',
  ],
  [
    'a route to a service that is not there',
    (all) => Object.assign(get(all, 'HTTPRoute', 'api').spec.rules[0].backendRefs[0], { port: 80 }),
    'HTTPRoute/api: there is no service gateway:80',
  ],
  [
    'a route of another host than its listener',
    (all) => Object.assign(get(all, 'HTTPRoute', 'api').spec, { hostnames: ['api.example.org'] }),
    'HTTPRoute/api: its host name is not that of the listener api',
  ],
  [
    'a route without a listener',
    (all) => Object.assign(get(all, 'HTTPRoute', 'api').spec.parentRefs[0], { sectionName: 'web' }),
    'HTTPRoute/api: there is no listener web of public',
  ],
  [
    'an autoscaler of nothing',
    (all) => Object.assign(get(all, 'HorizontalPodAutoscaler', 'gateway').spec.scaleTargetRef, { name: 'gate' }),
    'HorizontalPodAutoscaler/gateway: there is no Deployment/gate',
  ],
]);

finds('the rules for the network', (manifests) => networkProblems(manifests, CONTEXT.network), [
  [
    'an arrow that a policy lost',
    (all) => get(all, 'NetworkPolicy', 'identity').spec.ingress.shift(),
    'an arrow, but not allowed: gateway -> identity:4001',
  ],
  [
    'an arrow that a policy adds',
    (all) =>
      get(all, 'NetworkPolicy', 'identity').spec.ingress.push({
        from: [{ podSelector: {} }],
        ports: [{ port: 4222, protocol: 'TCP' }],
      }) &&
      get(all, 'NetworkPolicy', 'gateway').spec.egress.push({
        to: [{ podSelector: { matchLabels: { 'app.kubernetes.io/name': 'identity' } } }],
        ports: [{ port: 4222, protocol: 'TCP' }],
      }),
    'allowed, but not an arrow: gateway -> identity:4222',
  ],
  [
    'a way out to private addresses',
    (all) => {
      const rule = get(all, 'NetworkPolicy', 'webhook-dispatcher').spec.egress.at(-1);
      rule.to[0].ipBlock.except = rule.to[0].ipBlock.except.filter(
        (/** @type {string} */ range) => range !== '10.0.0.0/8',
      );
    },
    'allowed, but not an arrow: webhook-dispatcher -> private-address:443',
  ],
]);

describe('the rules for the network', () => {
  it('find everything that is open without the default', () => {
    const open = productionManifests().filter(({ metadata }) => metadata.name !== 'default-deny');
    expect(networkProblems(open, CONTEXT.network)).toContainEqual('allowed, but not an arrow: public -> stranger:5432');
  });

  it('know the first and the last address of a range', () => {
    const addresses = ['172.15.255.255', '172.16.0.0', '172.31.255.255', '172.32.0.0'];
    expect(addresses.map((address) => isInRange('172.16.0.0/12', address))).toEqual([false, true, true, false]);
    expect(isInRange('0.0.0.0/0', '255.255.255.255')).toBe(true);
    expect(isInRange('::/0', '10.0.0.1')).toBe(false);
  });
});

finds('the rules of agreement', (manifests) => agreementProblems(manifests, CONTEXT), [
  [
    'another port than that of the contracts',
    (all) => Object.assign(gatewayContainer(all).ports[0], { containerPort: 80 }),
    'Deployment/gateway: its ports are http 80,operations 9080, not http 8080,operations 9080',
  ],
  [
    'another name of a port',
    (all) => Object.assign(get(all, 'Service', 'gateway').spec.ports[1], { name: 'metrics' }),
    'Service/gateway: its ports are http 8080,metrics 9080, not http 8080,operations 9080',
  ],
  [
    'the image of another service',
    (all) => Object.assign(gatewayContainer(all), { image: 'registry.example.com/crm/identity:0.1.0' }),
    'Deployment/gateway: its image is crm/identity, not crm/gateway',
  ],
  ['a missing service', (all) => remove(all, 'Deployment', 'gateway'), 'gateway: it has no deployment or no service'],
  [
    'another limit of bodies',
    (all) => Object.assign(get(all, 'ClientSettingsPolicy', 'public', 'crm-public').spec.body, { maxSize: '512k' }),
    'ClientSettingsPolicy: bodies may have 524288 bytes in front of the services and 1048576 in them',
  ],
  [
    'a public address without a certificate',
    (all) => get(all, 'Certificate', 'public', 'crm-public').spec.dnsNames.shift(),
    'HTTPRoute/api: no certificate names api.crm.example.com',
  ],
  [
    'a public address that its services do not know',
    (all) => {
      const platform = all.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.startsWith('platform'));
      Object.assign(/** @type {any} */ (platform).data, { BASE_URL: 'https://api.example.org' });
    },
    'HTTPRoute/api: BASE_URL is not https://api.crm.example.com',
  ],
  [
    'a public address without TLS',
    (all) => Object.assign(get(all, 'Gateway', 'public', 'crm-public').spec.listeners[1], { protocol: 'HTTP' }),
    'HTTPRoute/api: it has no listener with TLS for its host name',
  ],
  [
    'two public addresses on one host',
    (all) => {
      const host = get(all, 'HTTPRoute', 'api').spec.hostnames[0];
      get(all, 'HTTPRoute', 'embed').spec.hostnames = [host];
      get(all, 'Gateway', 'public', 'crm-public').spec.listeners[2].hostname = host;
      const platform = all.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.startsWith('platform'));
      Object.assign(/** @type {any} */ (platform).data, { EMBED_API_URL: `https://${host}` });
    },
    'HTTPRoute/embed: another public address has its host name',
  ],
  [
    'a call of the API that is redirected when it comes without TLS',
    (all) =>
      get(all, 'HTTPRoute', 'pages-to-https', 'crm-public').spec.rules[0].matches.push({
        path: { type: 'PathPrefix', value: '/api' },
      }),
    'HTTPRoute/pages-to-https: it redirects PathPrefix /api, which is not a page',
  ],
  [
    'a redirect of every path',
    (all) => delete get(all, 'HTTPRoute', 'pages-to-https', 'crm-public').spec.rules[0].matches,
    'HTTPRoute/pages-to-https: it redirects every path, calls of the API included',
  ],
  [
    'a redirect at every address',
    (all) => delete get(all, 'HTTPRoute', 'pages-to-https', 'crm-public').spec.hostnames,
    'HTTPRoute/pages-to-https: it redirects pages of undefined, which api.crm.example.com has',
  ],
  [
    'a service that answers without TLS',
    (all) => delete get(all, 'HTTPRoute', 'pages-to-https', 'crm-public').spec.rules[0].filters,
    'HTTPRoute/pages-to-https: it does more than to redirect what comes without TLS',
  ],
  [
    'a listener that speaks an old version of TLS',
    (all) => {
      const { options } = get(all, 'Gateway', 'public', 'crm-public').spec.listeners[1].tls;
      options['nginx.org/ssl-protocols'] = 'TLSv1.1 TLSv1.2 TLSv1.3';
    },
    'Gateway/public: nginx.org/ssl-protocols of the listener api is TLSv1.1 TLSv1.2 TLSv1.3',
  ],
  [
    'a listener with a suite without forward secrecy',
    (all) => {
      const { options } = get(all, 'Gateway', 'public', 'crm-public').spec.listeners[2].tls;
      options['nginx.org/ssl-ciphers'] = 'AES256-GCM-SHA384';
    },
    'Gateway/public: nginx.org/ssl-ciphers of the listener embed is AES256-GCM-SHA384',
  ],
  [
    'more processes than the database has connections for',
    (all) => Object.assign(get(all, 'HorizontalPodAutoscaler', 'identity').spec, { maxReplicas: 40 }),
    'Cluster/crm-db: 1186 connections are needed, and 600 allowed',
  ],
]);

finds('the rules for backups', backupProblems, [
  [
    'a database whose changes are on one instance',
    (all) => delete get(all, 'Cluster', 'crm-db').spec.postgresql.synchronous,
    'Cluster/crm-db: the loss of one instance can lose a change',
  ],
  [
    'a database whose WAL is not archived',
    (all) => delete get(all, 'Cluster', 'crm-db').spec.plugins,
    'Cluster/crm-db: nothing archives its WAL',
  ],
  [
    'an archive without a store',
    (all) => remove(all, 'ObjectStore', 'crm-db'),
    'Cluster/crm-db: there is no store crm-db for its WAL',
  ],
  [
    'a database without base backups',
    (all) => Object.assign(get(all, 'ScheduledBackup', 'crm-db').spec, { suspend: true }),
    'Cluster/crm-db: nothing makes base backups of it',
  ],
  [
    'base backups in another place than the WAL',
    (all) => Object.assign(get(all, 'ScheduledBackup', 'crm-db').spec, { pluginConfiguration: { name: 'other' } }),
    'Cluster/crm-db: its base backups go elsewhere than its WAL',
  ],
]);

describe('the rules for Citus', () => {
  it('find a database that the nodes do not know, and a worker that nobody registers', async () => {
    const citus = await renderOverlay('production-citus');
    expect(agreementProblems(citus, CONTEXT)).toEqual([]);
    const more = { ...CONTEXT, databases: [...CONTEXT.databases, 'quotes'] };
    expect(agreementProblems(citus, more)).toEqual([
      'Job/register-nodes: DATABASES is not automations custom_objects identity marketplace quotes webhooks',
    ]);
    remove(citus, 'Cluster', 'crm-db-worker-2');
    expect(agreementProblems(citus, CONTEXT)).toEqual(['Job/register-nodes: WORKERS is not crm-db-worker-1-rw']);
    remove(citus, 'Job', 'register-nodes');
    expect(agreementProblems(citus, CONTEXT)).toEqual([
      'Cluster/crm-db-worker-1: nothing makes it known to the coordinator',
    ]);
  });
});

/** @param {Manifest[]} manifests @returns {any[]} */
const natsVariables = (manifests) => podOf(get(manifests, 'StatefulSet', 'nats')).spec.containers[0].env;

finds('the rules for the store of events', eventStoreProblems, [
  [
    'servers without a limit',
    (all) => {
      const env = natsVariables(all);
      env.splice(
        env.findIndex(({ name }) => name === 'NATS_MAX_FILE_STORE'),
        1,
      );
    },
    'StatefulSet/nats: nothing limits what it stores',
  ],
  [
    'a limit that the volume does not hold',
    (all) => {
      const claim = get(all, 'StatefulSet', 'nats').spec.volumeClaimTemplates[0];
      claim.spec.resources.requests.storage = '18Gi';
    },
    'StatefulSet/nats: its limit, 18GiB, is over 92 % of its volume, 18 GiB',
  ],
  [
    'a configuration without the limit',
    (all) => {
      const nats = all.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.startsWith('nats'));
      const data = /** @type {any} */ (nats).data;
      data['nats.conf'] = data['nats.conf'].replace(/ *max_file_store: .*\n/, '');
    },
    'StatefulSet/nats: its configuration does not take the limit over',
  ],
]);
