import { NATS_USERS, type NatsUser, permissionsOf } from './permissions.js';

/** What a loss of power takes the relays publish again (decision record 0132); `always` would cost a write an event. */
export const SYNC_INTERVAL = '1s';

/**
 * All streams at most (docs/runbooks/EventStreamFilling.md). Without a limit a server takes three quarters of what is free at its
 * start, its own store not counted: after a restart it would refuse every event.
 */
export const MAX_FILE_STORE = '18GiB';

/** Bytes of a size as the server reads it. @returns undefined for anything but whole MiB or GiB */
export function bytesOf(size: string): number | undefined {
  const [, digits, unit] = /^(\d{1,6})(MiB|GiB)$/.exec(size) ?? [];
  return digits === undefined ? undefined : Number(digits) * (unit === 'GiB' ? 2 ** 30 : 2 ** 20);
}

/** The bucket of cut-offs at most: a million in the day that it keeps them. */
const MOST_REVOCATION_BYTES = 2 ** 28;

/**
 * What the streams may take of a server's store. A server that is full refuses every message of every stream, cut-offs included: so
 * the events have a limit below its own, and the bucket space that the server reserves.
 */
export const sharesOf = (fileStoreBytes: number): { events: number; revocations: number } => ({
  events: Math.floor((fileStoreBytes * 8) / 9),
  revocations: Math.min(MOST_REVOCATION_BYTES, Math.floor(fileStoreBytes / 18)),
});

export interface NatsServerOptions {
  host: string;
  port: number;
  storeDir: string;
  /** Most that JetStream stores in files, or the name of an environment variable. Default: by what is free at the start. */
  maxFileStore?: string | { environment: string };
  /** In plain text, or the name of the server's environment variable that holds it. */
  passwords: Readonly<Record<NatsUser, string | { environment: string }>>;
  /** Port of the monitoring endpoint on the same host; default none. */
  monitorPort?: number;
  /** Unique in a cluster, in plain text or the name of an environment variable. Default `crm`. */
  serverName?: string | { environment: string };
  /** Clients must connect by TLS. Default without. */
  tls?: TlsFiles;
  cluster?: ClusterOptions;
  /** Where the server writes its process id, for `nats-server --signal`. Default nowhere. */
  pidFile?: string;
  /** A duration such as `1s`, or `always`. Not for a server older than 2.10, which does not start with it. Default none. */
  syncInterval?: string | undefined;
}

interface TlsFiles {
  certificate: string;
  key: string;
  authority: string;
}

interface ClusterOptions {
  /** Host and port of every server of the cluster, this one included. */
  servers: readonly string[];
  host: string;
  port: number;
  /** What this authority has not signed is no server of the cluster. Without, anyone who reaches the port is: loopback only. */
  tls?: TlsFiles;
}

/** Told to leave (`--signal ldm`), a server hands over what it leads, then asks its clients to go elsewhere. */
const LAME_DUCK = { graceSeconds: 10, seconds: 30 };

/** Configuration of a nats-server (2.9 or newer) with JetStream and one user per service with only the permissions it needs. */
export function natsServerConfig(options: NatsServerOptions): string {
  const users = NATS_USERS.map((user) => userBlock(user, options.passwords[user]));
  const { serverName = 'crm' } = options;
  return `host: ${quote(options.host)}
port: ${options.port}
${options.monitorPort === undefined ? '' : `http: ${quote(`${options.host}:${options.monitorPort}`)}\n`}server_name: ${value(serverName)}
${options.pidFile === undefined ? '' : `pid_file: ${quote(options.pidFile)}\n`}${options.tls === undefined ? '' : `\ntls {\n${tlsFiles(options.tls, '  ')}}\n`}${options.cluster === undefined ? '' : `\n${clusterBlock(options.cluster)}\n`}
jetstream {
  store_dir: ${quote(options.storeDir)}
${options.maxFileStore === undefined ? '' : `  max_file_store: ${size(options.maxFileStore)}\n`}${options.syncInterval === undefined ? '' : `  sync_interval: ${quote(options.syncInterval)}\n`}}

authorization {
  users: [
${users.join('\n')}
  ]
}
`;
}

function userBlock(user: NatsUser, password: string | { environment: string }): string {
  const { publish, subscribe, responses } = permissionsOf(user);
  return `    {
      user: ${quote(user)}
      password: ${value(password)}
      permissions: {
        publish: { allow: [
${list(publish)}
        ] }
        subscribe: { allow: [
${list(subscribe)}
        ] }
${responses > 0 ? `        allow_responses: { max: ${responses}, expires: "1m" }\n` : ''}      }
    }`;
}

const tlsFiles = ({ certificate, key, authority }: TlsFiles, indent: string): string =>
  [`cert_file: ${quote(certificate)}`, `key_file: ${quote(key)}`, `ca_file: ${quote(authority)}`]
    .map((line) => `${indent}${line}\n`)
    .join('');

/** Clients are told of no other server: they come through an address that finds the ones that are ready. */
const clusterBlock = ({
  servers,
  host,
  port,
  tls,
}: ClusterOptions): string => `lame_duck_grace_period: "${LAME_DUCK.graceSeconds}s"
lame_duck_duration: "${LAME_DUCK.seconds}s"

cluster {
  name: "crm"
  listen: ${quote(`${host}:${port}`)}
  no_advertise: true
  routes: [
${servers.map((server) => `    ${quote(`nats-route://${server}`)}`).join('\n')}
  ]
${tls === undefined ? '' : `  tls {\n${tlsFiles(tls, '    ')}    verify: true\n  }\n`}}`;

/** A text, or what an environment variable of the server holds. */
const value = (source: string | { environment: string }): string =>
  typeof source === 'string' ? quote(source) : `$${source.environment}`;

/** The server takes numbers with their unit without quotes only. */
const size = (source: string | { environment: string }): string =>
  typeof source === 'string' ? source : `$${source.environment}`;

const list = (subjects: readonly string[]): string =>
  subjects.map((subject) => `          ${quote(subject)}`).join('\n');

/** JSON strings and the server's configuration language have the same escapes. */
const quote = (text: string): string => JSON.stringify(text);

/** The environment variable of the server that holds a user's password, e.g. `NATS_PASSWORD_CUSTOM_OBJECTS`. */
export const passwordVariable = (user: NatsUser): string => `NATS_PASSWORD_${user.replaceAll('-', '_').toUpperCase()}`;

const header = (what: string): string => `# Configuration of ${what}: users and permissions of every service.
# Made from libs/contracts by: npm run docs
# Do not edit: a test compares it with what the contracts say. Passwords come from the server's environment.
`;

const passwordsFromEnvironment = (): Record<NatsUser, { environment: string }> =>
  Object.fromEntries(NATS_USERS.map((user) => [user, { environment: passwordVariable(user) }])) as Record<
    NatsUser,
    { environment: string }
  >;

const SERVED = { host: '0.0.0.0', port: 4222, monitorPort: 8222, storeDir: '/data/jetstream' };

/** The text of k8s/base/nats/nats.conf. */
export function clusterServerConfig(): string {
  const tls = { certificate: '/etc/nats/tls/tls.crt', key: '/etc/nats/tls/tls.key', authority: '/etc/nats/tls/ca.crt' };
  const servers = [0, 1, 2].map((ordinal) => `nats-${ordinal}.nats-servers:6222`);
  return (
    header('each of the three NATS servers (2.10 or newer) on Kubernetes') +
    natsServerConfig({
      ...SERVED,
      serverName: { environment: 'POD_NAME' },
      pidFile: '/var/run/nats/nats.pid',
      // By the volume, which overlays may enlarge.
      maxFileStore: { environment: 'NATS_MAX_FILE_STORE' },
      tls,
      cluster: { servers, host: '0.0.0.0', port: 6222, tls },
      passwords: passwordsFromEnvironment(),
      syncInterval: SYNC_INTERVAL,
    })
  );
}

/** The text of deploy/nats/nats-server.conf. */
export const sampleServerConfig = (): string =>
  header('NATS for a single server (2.10 or newer)') +
  natsServerConfig({
    ...SERVED,
    maxFileStore: MAX_FILE_STORE,
    passwords: passwordsFromEnvironment(),
    syncInterval: SYNC_INTERVAL,
  });
