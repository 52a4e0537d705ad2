import { containersOf, find, nameOf, ofKind, quantity } from '../manifests.mjs';

/** @typedef {import('../render.mjs').Manifest} Manifest */

/** What nats.conf takes its limit from. */
const LIMIT = 'NATS_MAX_FILE_STORE';
/** The file system itself and the logs of the copies need the rest of the volume. */
const MOST_OF_VOLUME = 0.92;

/**
 * Servers of NATS store less than their volume holds. Without a limit of its own a server takes three quarters of what is free
 * when it starts, and what it has stored already counts against that: after a restart it refuses every event.
 * @param {readonly Manifest[]} manifests
 * @returns {string[]}
 */
export function eventStoreProblems(manifests) {
  const servers = find(manifests, 'StatefulSet', 'nats');
  if (!servers) return ['StatefulSet/nats: it is not there'];
  return [...limitProblems(servers), ...configurationProblems(servers, manifests)].map(
    (problem) => `${nameOf(servers)}: ${problem}`,
  );
}

/** @param {Manifest} servers */
function limitProblems(servers) {
  const [container] = containersOf(servers);
  const text = container.env.find((/** @type {any} */ { name }) => name === LIMIT)?.value;
  // The server says GiB where Kubernetes says Gi.
  const limit = quantity(String(text).replace(/B$/, ''));
  const volume = quantity(servers.spec.volumeClaimTemplates[0].spec.resources.requests.storage);
  if (text === undefined) return ['nothing limits what it stores'];
  return limit <= volume * MOST_OF_VOLUME
    ? []
    : [`its limit, ${text}, is over ${MOST_OF_VOLUME * 100} % of its volume, ${volume / 2 ** 30} GiB`];
}

/**
 * @param {Manifest} servers
 * @param {readonly Manifest[]} manifests
 */
function configurationProblems(servers, manifests) {
  const volumes = servers.spec.template.spec.volumes;
  const { configMap } = volumes.find((/** @type {any} */ { name }) => name === 'configuration') ?? {};
  const text = ofKind(manifests, 'ConfigMap').find(({ metadata }) => metadata.name === configMap?.name)?.data?.[
    'nats.conf'
  ];
  return text?.includes(`max_file_store: $${LIMIT}\n`) ? [] : ['its configuration does not take the limit over'];
}
