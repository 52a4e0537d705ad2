import { CONTEXT } from '../contracts.mjs';
import { podOf } from '../manifests.mjs';
import { availabilityProblems } from './availability.mjs';
import { finds, gatewayContainer, gatewayPod, get, remove } from './breaking.mjs';
import { podProblems } from './pods.mjs';

finds('the rules for pods', (manifests) => podProblems(manifests, CONTEXT), [
  [
    'the tag latest',
    (all) => Object.assign(podOf(get(all, 'StatefulSet', 'nats')).spec.containers[0], { image: 'nats:latest' }),
    'StatefulSet/nats: nats has no full version tag: nats:latest',
  ],
  [
    'an image without a tag',
    (all) => Object.assign(gatewayContainer(all), { image: 'registry.example.com:5000/crm/gateway' }),
    'Deployment/gateway: service has no full version tag: registry.example.com:5000/crm/gateway',
  ],
  [
    'an image of another version',
    (all) => Object.assign(gatewayContainer(all), { image: 'crm/gateway:9.9.9' }),
    `Deployment/gateway: service is of version 9.9.9, not ${CONTEXT.version}`,
  ],
  [
    'a missing memory limit',
    (all) => delete gatewayContainer(all).resources.limits.memory,
    'Deployment/gateway: service has no memory limit',
  ],
  [
    'a missing request',
    (all) => delete gatewayContainer(all).resources.requests.cpu,
    'Deployment/gateway: service requests no cpu',
  ],
  [
    'a request above its limit',
    (all) => Object.assign(gatewayContainer(all).resources.requests, { memory: '2Gi' }),
    'Deployment/gateway: service requests more memory than its limit',
  ],
  [
    'a namespace that admits other pods',
    (all) => delete get(all, 'Namespace', 'crm').metadata.labels['pod-security.kubernetes.io/enforce'],
    'Namespace/crm: it does not enforce the profile restricted',
  ],
  [
    'a pod that may run as root',
    (all) => delete gatewayPod(all).securityContext.runAsNonRoot,
    'Deployment/gateway: it may run as root',
  ],
  [
    'a pod of another user',
    (all) => Object.assign(gatewayPod(all).securityContext, { runAsUser: 1000 }),
    'Deployment/gateway: it does not run as user and group 10001',
  ],
  [
    'a pod without seccomp',
    (all) => delete gatewayPod(all).securityContext.seccompProfile,
    'Deployment/gateway: it has no seccomp profile',
  ],
  [
    'a pod in the network of its node',
    (all) => Object.assign(gatewayPod(all), { hostNetwork: true }),
    'Deployment/gateway: it shares hostNetwork with its node',
  ],
  [
    'a folder of the node',
    (all) => gatewayPod(all).volumes.push({ name: 'node', hostPath: { path: '/' } }),
    'Deployment/gateway: volume node is of a kind that restricted pods cannot have',
  ],
  [
    'a volume without a limit',
    (all) => gatewayPod(all).volumes.push({ name: 'more', emptyDir: {} }),
    'Deployment/gateway: volume more has no size limit',
  ],
  [
    'a container that may gain privileges',
    (all) => delete gatewayContainer(all).securityContext.allowPrivilegeEscalation,
    'Deployment/gateway: service may gain privileges',
  ],
  [
    'a file system that can be written',
    (all) => Object.assign(gatewayContainer(all).securityContext, { readOnlyRootFilesystem: false }),
    'Deployment/gateway: service can write its root file system',
  ],
  [
    'a capability',
    (all) => Object.assign(gatewayContainer(all).securityContext.capabilities, { add: ['NET_ADMIN'] }),
    'Deployment/gateway: service keeps capabilities',
  ],
  [
    'a container as root in a pod that is not',
    (all) => Object.assign(gatewayContainer(all).securityContext, { runAsUser: 0 }),
    'Deployment/gateway: service undoes the user of its pod',
  ],
  [
    'a service without /tmp',
    (all) =>
      gatewayContainer(all).volumeMounts.splice(
        gatewayContainer(all).volumeMounts.findIndex((/** @type {any} */ { mountPath }) => mountPath === '/tmp'),
        1,
      ),
    'Deployment/gateway: service has no writable /tmp',
  ],
  [
    'a mounted token',
    (all) => delete gatewayPod(all).automountServiceAccountToken,
    'Deployment/gateway: it mounts a token of Kubernetes',
  ],
  [
    'an account with a token',
    (all) => delete get(all, 'ServiceAccount', 'gateway').automountServiceAccountToken,
    'Deployment/gateway: the token of its service account is mounted',
  ],
  [
    'a pod without an account of its own',
    (all) => delete gatewayPod(all).serviceAccountName,
    'Deployment/gateway: it has no service account of its own',
  ],
  [
    'variables of other services',
    (all) => delete gatewayPod(all).enableServiceLinks,
    'Deployment/gateway: variables of other services get into its environment (enableServiceLinks)',
  ],
]);

finds('the rules for availability', availabilityProblems, [
  [
    'a missing probe',
    (all) => delete gatewayContainer(all).readinessProbe,
    'Deployment/gateway: service has no readinessProbe',
  ],
  [
    'a probe on the public port',
    (all) => Object.assign(gatewayContainer(all).livenessProbe.httpGet, { port: 'http' }),
    'Deployment/gateway: livenessProbe of service does not ask /livez on the operations port',
  ],
  [
    'a missing preStop',
    (all) => delete gatewayContainer(all).lifecycle,
    'Deployment/gateway: it drains while it still gets requests (preStop)',
  ],
  [
    'a grace period that the drain can exceed',
    (all) => Object.assign(gatewayPod(all), { terminationGracePeriodSeconds: 49 }),
    'Deployment/gateway: 49 s are too short for preStop (10 s), the drain (30 s) and 10 s',
  ],
  [
    'a NATS server that just ends',
    (all) => delete podOf(get(all, 'StatefulSet', 'nats')).spec.containers[0].lifecycle,
    'StatefulSet/nats: it does not hand over before it ends',
  ],
  [
    'a release that begins with taking away',
    (all) => Object.assign(get(all, 'Deployment', 'gateway').spec.strategy.rollingUpdate, { maxUnavailable: 1 }),
    'Deployment/gateway: a release takes a process away before its successor is ready',
  ],
  [
    'pods that are not spread over zones',
    (all) => gatewayPod(all).topologySpreadConstraints.shift(),
    'Deployment/gateway: its pods are not spread by topology.kubernetes.io/zone',
  ],
  [
    'a missing disruption budget',
    (all) => remove(all, 'PodDisruptionBudget', 'gateway'),
    'Deployment/gateway: it has 0 disruption budgets instead of one',
  ],
  [
    'a disruption budget that lets all go',
    (all) => Object.assign(get(all, 'PodDisruptionBudget', 'gateway').spec, { maxUnavailable: '100%' }),
    'Deployment/gateway: its disruption budget is not one pod at a time',
  ],
  [
    'a number of replicas beside an autoscaler',
    (all) => Object.assign(get(all, 'Deployment', 'gateway').spec, { replicas: 3 }),
    'Deployment/gateway: it has a fixed number of replicas beside its autoscaler',
  ],
  [
    'a service that nothing scales',
    (all) => remove(all, 'HorizontalPodAutoscaler', 'gateway'),
    'Deployment/gateway: nothing says how many replicas it has',
  ],
  [
    'a single process',
    (all) => Object.assign(get(all, 'HorizontalPodAutoscaler', 'gateway').spec, { minReplicas: 1 }),
    'Deployment/gateway: its autoscaler allows a single process',
  ],
  [
    'an autoscaler that ignores the processor',
    (all) =>
      Object.assign(get(all, 'HorizontalPodAutoscaler', 'webhook-dispatcher').spec.metrics[0], { type: 'External' }),
    'Deployment/webhook-dispatcher: its autoscaler does not look at the processor',
  ],
]);
