import { containersOf, databases, find, nameOf, ofKind, podOf, selects, workloads } from '../manifests.mjs';

/** @typedef {import('../render.mjs').Manifest} Manifest */
/** @typedef {import('../hand-made-secrets.mjs').HandMadeSecret} HandMadeSecret */

/** What the operator of PostgreSQL keeps in the secrets that it makes for a cluster. */
const OF_DATABASE = { superuser: ['password', 'username', 'pgpass', 'uri'], ca: ['ca.crt', 'ca.key'] };
const OF_CERTIFICATE = ['ca.crt', 'tls.crt', 'tls.key'];

/**
 * Whatever an object names is there: secrets and their keys, configuration, ports, backends, what is scaled.
 * @param {readonly Manifest[]} manifests
 * @param {{ handMade: readonly HandMadeSecret[] }} context
 * @returns {string[]}
 */
export function referenceProblems(manifests, { handMade }) {
  const secrets = secretsOf(manifests, handMade);
  return [
    ...workloads(manifests).flatMap((workload) => workloadProblems(workload, manifests, secrets)),
    ...ofKind(manifests, 'ObjectStore').flatMap((store) => storeProblems(store, secrets)),
    ...databases(manifests).flatMap(({ spec, ...database }) =>
      spec.superuserSecret
        ? secretProblems(secrets, 'crm', spec.superuserSecret.name, ['username', 'password']).map(
            (problem) => `${nameOf(/** @type {Manifest} */ (database))}: ${problem}`,
          )
        : [],
    ),
    ...ofKind(manifests, 'Gateway').flatMap((gateway) => gatewayProblems(gateway, secrets)),
    ...ofKind(manifests, 'BackendTLSPolicy').flatMap((policy) => policyProblems(policy, manifests, secrets)),
    ...ofKind(manifests, 'Service').flatMap((service) => serviceProblems(service, manifests)),
    ...ofKind(manifests, 'HTTPRoute').flatMap((route) => routeProblems(route, manifests)),
    ...ofKind(manifests, 'HorizontalPodAutoscaler').flatMap((scaler) => {
      const { kind, name } = scaler.spec.scaleTargetRef;
      return find(manifests, kind, name) ? [] : [`${nameOf(scaler)}: there is no ${kind}/${name}`];
    }),
  ];
}

/**
 * @param {readonly Manifest[]} manifests
 * @param {readonly HandMadeSecret[]} handMade
 * @returns {Map<string, readonly string[]>} keys by namespace and name
 */
function secretsOf(manifests, handMade) {
  /** @type {[string, readonly string[]][]} */
  const entries = [
    ...handMade.map(({ name, keys }) => /** @type {[string, string[]]} */ ([`crm/${name}`, Object.keys(keys)])),
    ...ofKind(manifests, 'Certificate').map(
      ({ metadata, spec }) =>
        /** @type {[string, string[]]} */ ([`${metadata.namespace}/${spec.secretName}`, OF_CERTIFICATE]),
    ),
    ...databases(manifests).flatMap(({ metadata, spec }) => [
      /** @type {[string, string[]]} */ ([`crm/${metadata.name}-ca`, OF_DATABASE.ca]),
      ...(spec.enableSuperuserAccess && !spec.superuserSecret
        ? [/** @type {[string, string[]]} */ ([`crm/${metadata.name}-superuser`, OF_DATABASE.superuser])]
        : []),
    ]),
  ];
  return new Map(entries);
}

/**
 * @param {Map<string, readonly string[]>} secrets
 * @param {string} namespace
 * @param {string} name
 * @param {readonly string[]} keys
 */
function secretProblems(secrets, namespace, name, keys) {
  const known = secrets.get(`${namespace}/${name}`);
  if (!known) return [`nobody makes the secret ${name}`];
  return keys.filter((key) => !known.includes(key)).map((key) => `the secret ${name} has no ${key}`);
}

/**
 * @param {Manifest} workload
 * @param {readonly Manifest[]} manifests
 * @param {Map<string, readonly string[]>} secrets
 */
function workloadProblems(workload, manifests, secrets) {
  const pod = podOf(workload).spec;
  const claims = (workload.spec.volumeClaimTemplates ?? []).map((/** @type {any} */ { metadata }) => metadata.name);
  const volumes = [...(pod.volumes ?? []).map((/** @type {any} */ { name }) => name), ...claims];
  const problems = [];
  for (const { configMap, secret } of pod.volumes ?? []) {
    if (configMap && !find(manifests, 'ConfigMap', configMap.name))
      problems.push(`there is no ConfigMap ${configMap.name}`);
    const keys = (secret?.items ?? []).map((/** @type {any} */ { key }) => key);
    if (secret) problems.push(...secretProblems(secrets, 'crm', secret.secretName, keys));
  }
  for (const container of containersOf(workload)) {
    for (const { configMapRef, secretRef } of container.envFrom ?? []) {
      if (configMapRef && !find(manifests, 'ConfigMap', configMapRef.name))
        problems.push(`there is no ConfigMap ${configMapRef.name}`);
      if (secretRef) problems.push(...secretProblems(secrets, 'crm', secretRef.name, []));
    }
    for (const { valueFrom } of container.env ?? []) {
      const { secretKeyRef, configMapKeyRef } = valueFrom ?? {};
      if (secretKeyRef) problems.push(...secretProblems(secrets, 'crm', secretKeyRef.name, [secretKeyRef.key]));
      if (
        configMapKeyRef &&
        find(manifests, 'ConfigMap', configMapKeyRef.name)?.data?.[configMapKeyRef.key] === undefined
      ) {
        problems.push(`the ConfigMap ${configMapKeyRef.name} has no ${configMapKeyRef.key}`);
      }
    }
    for (const { name } of container.volumeMounts ?? []) {
      if (!volumes.includes(name)) problems.push(`${container.name} mounts ${name}, which is not there`);
    }
  }
  return problems.map((problem) => `${nameOf(workload)}: ${problem}`);
}

/** @param {Manifest} store @param {Map<string, readonly string[]>} secrets */
const storeProblems = (store, secrets) =>
  Object.values(store.spec.configuration.s3Credentials ?? {}).flatMap((reference) => {
    const { name, key } = /** @type {{ name: string, key: string }} */ (reference);
    return secretProblems(secrets, 'crm', name, [key]).map((problem) => `${nameOf(store)}: ${problem}`);
  });

/** @param {Manifest} gateway @param {Map<string, readonly string[]>} secrets */
const gatewayProblems = (gateway, secrets) =>
  gateway.spec.listeners
    .flatMap((/** @type {any} */ { tls }) => tls?.certificateRefs ?? [])
    .flatMap((/** @type {any} */ { name }) =>
      secretProblems(secrets, String(gateway.metadata.namespace), name, ['tls.crt', 'tls.key']).map(
        (problem) => `${nameOf(gateway)}: ${problem}`,
      ),
    );

/** @param {Manifest} policy @param {readonly Manifest[]} manifests @param {Map<string, readonly string[]>} secrets */
const policyProblems = ({ spec, ...policy }, manifests, secrets) =>
  [
    ...spec.targetRefs
      .filter((/** @type {any} */ { kind, name }) => !find(manifests, kind, name, policy.metadata.namespace))
      .map((/** @type {any} */ { kind, name }) => `there is no ${kind}/${name}`),
    ...spec.validation.caCertificateRefs.flatMap((/** @type {any} */ { name }) =>
      secretProblems(secrets, String(policy.metadata.namespace), name, ['ca.crt']),
    ),
  ].map((problem) => `${nameOf(policy)}: ${problem}`);

/**
 * @param {Manifest} service
 * @param {readonly Manifest[]} manifests
 */
function serviceProblems(service, manifests) {
  const behind = workloads(manifests).filter((workload) =>
    selects({ matchLabels: service.spec.selector }, podOf(workload).metadata.labels),
  );
  if (behind.length !== 1) return [`${nameOf(service)}: ${behind.length} workloads are behind it instead of one`];
  const named = containersOf(/** @type {Manifest} */ (behind[0])).flatMap(({ ports = [] }) => ports);
  return service.spec.ports
    .filter(
      (/** @type {any} */ { targetPort, port }) =>
        !named.some(({ name, containerPort }) => name === targetPort && containerPort === port),
    )
    .map((/** @type {any} */ { name, port }) => `${nameOf(service)}: no container listens on its port ${name} ${port}`);
}

/**
 * @param {Manifest} route
 * @param {readonly Manifest[]} manifests
 */
function routeProblems(route, manifests) {
  const problems = [];
  for (const { name, namespace, sectionName } of route.spec.parentRefs) {
    const gateway = find(manifests, 'Gateway', name, namespace ?? route.metadata.namespace);
    const listener = gateway?.spec.listeners.find((/** @type {any} */ candidate) => candidate.name === sectionName);
    if (!listener) problems.push(`there is no listener ${sectionName} of ${name}`);
    else if (listener.hostname !== undefined && listener.hostname !== route.spec.hostnames?.[0])
      problems.push(`its host name is not that of the listener ${sectionName}`);
  }
  for (const { name, port } of route.spec.rules.flatMap((/** @type {any} */ { backendRefs = [] }) => backendRefs)) {
    const service = find(manifests, 'Service', name, route.metadata.namespace);
    if (!service?.spec.ports.some((/** @type {any} */ candidate) => candidate.port === port))
      problems.push(`there is no service ${name}:${port}`);
  }
  return problems.map((problem) => `${nameOf(route)}: ${problem}`);
}
