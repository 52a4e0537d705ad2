import { CONTEXT } from '../contracts.mjs';
import { podOf } from '../manifests.mjs';
import { finds, gatewayContainer, get, remove } from './breaking.mjs';
import { transportProblems } from './transport.mjs';

/** @param {import('../render.mjs').Manifest[]} all @param {string} name @returns {any} */
const ofGateway = (all, name) => gatewayContainer(all).env.find((/** @type {any} */ entry) => entry.name === name);

/** @param {import('../render.mjs').Manifest[]} all @param {string} service @returns {any} */
const containerOf = (all, service) => podOf(get(all, 'Deployment', service)).spec.containers[0];

finds('the rules for transport', (manifests) => transportProblems(manifests, CONTEXT), [
  [
    'a service without a certificate',
    (all) => {
      const container = containerOf(all, 'custom-objects');
      container.env = container.env.filter((/** @type {any} */ { name }) => !name.startsWith('TLS_'));
      // Nobody calls it either.
      ofGateway(all, 'CUSTOM_OBJECTS_URL').value = 'https://elsewhere.example.com';
    },
    'Deployment/custom-objects: it speaks plain HTTP, for it is given no certificate or no key',
  ],
  [
    'a certificate that is mounted as a single file, which would never change',
    (all) => {
      const container = containerOf(all, 'webhook-dispatcher');
      Object.assign(
        container.volumeMounts.find((/** @type {any} */ { name }) => name === 'certificate'),
        { subPath: 'tls.crt' },
      );
      ofGateway(all, 'WEBHOOKS_URL').value = 'https://elsewhere.example.com';
    },
    'Deployment/webhook-dispatcher: it speaks plain HTTP, for it is given no certificate or no key',
  ],
  [
    'a certificate for another name',
    (all) => {
      const { spec } = get(all, 'Certificate', 'custom-objects');
      spec.dnsNames = ['custom-objects', 'custom-object.crm.svc'];
    },
    'Deployment/custom-objects: its certificate does not name custom-objects.crm.svc',
  ],
  [
    'a call without encryption',
    (all) => Object.assign(ofGateway(all, 'IDENTITY_URL'), { value: 'http://identity:4001' }),
    'Deployment/gateway: IDENTITY_URL leads to identity without encryption',
  ],
  [
    'a call by a name that the certificate does not have',
    (all) => Object.assign(ofGateway(all, 'IDENTITY_URL'), { value: 'https://identity.crm.svc.cluster.local:4001' }),
    'Deployment/gateway: IDENTITY_URL names identity.crm.svc.cluster.local, and the certificate there does not',
  ],
  [
    'a certificate of an authority that its caller does not trust',
    (all) =>
      Object.assign(get(all, 'Certificate', 'webhook-dispatcher').spec, {
        issuerRef: { kind: 'Issuer', name: 'nats' },
      }),
    'Deployment/gateway: WEBHOOKS_URL leads to a certificate whose authority it does not trust',
  ],
  [
    'a route to a service that nobody verifies',
    (all) => remove(all, 'BackendTLSPolicy', 'embed-gateway'),
    'HTTPRoute/embed: 0 policies say how embed-gateway is verified',
  ],
  [
    'a route to a name that the service does not have',
    (all) => Object.assign(get(all, 'BackendTLSPolicy', 'gateway').spec.validation, { hostname: 'gateway.crm' }),
    'HTTPRoute/api: gateway has no certificate for gateway.crm',
  ],
  [
    'a route that trusts another authority',
    (all) =>
      Object.assign(get(all, 'BackendTLSPolicy', 'gateway').spec.validation.caCertificateRefs[0], { name: 'nats-tls' }),
    'HTTPRoute/api: the authority of gateway is not in Secret/nats-tls',
  ],
  [
    'a service that may connect without encryption',
    (all) => gatewayContainer(all).env.push({ name: 'ALLOW_PLAINTEXT', value: 'http' }),
    'Deployment/gateway: it allows connections without encryption',
  ],
  [
    'a platform that may',
    (all) => {
      const settings = all.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.startsWith('platform'));
      Object.assign(settings?.data ?? {}, { ALLOW_PLAINTEXT: 'nats' });
      Object.assign(settings?.metadata ?? {}, { name: 'platform' });
    },
    'ConfigMap/platform: it allows connections without encryption',
  ],
]);
