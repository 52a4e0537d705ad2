import { NATS_USERS, type NatsUser, permissionsOf } from './permissions.js';

/**
 * How often the server writes to disk what it has acknowledged; its default is two minutes. What a loss of power takes in
 * that time the relays publish again (decision record 0132), so a second is enough; `always` would
 * cost a write for each event.
 */
export const SYNC_INTERVAL = '1s';

/**
 * How much a server of a deployment stores, in its units: the event stream at most (docs/runbooks/EventStreamFilling.md). A
 * server without a limit takes three quarters of what is free when it starts, and counts what it has stored against that: after
 * a restart with much in store it would refuse every event.
 */
export const MAX_FILE_STORE = '18GiB';

export interface NatsServerOptions {
  host: string;
  port: number;
  /** Folder of JetStream's files. */
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
  /** The other servers of a cluster. Default none. */
  cluster?: ClusterOptions;
  /** Where the server writes its process id, for `nats-server --signal`. Default nowhere. */
  pidFile?: string;
  /** A duration such as `1s`, or `always`. Not for a server older than 2.10, which does not start with it. Default none. */
  syncInterval?: string | undefined;
}

/** Paths of PEM files. */
export interface TlsFiles {
  certificate: string;
  key: string;
  authority: string;
}

export interface ClusterOptions {
  /** Host and port of every server of the cluster, this one included. */
  servers: readonly string[];
  host: string;
  port: number;
  /**
   * Servers prove to each other who they are: whatever this authority has not signed is no server of the cluster. Without,
   * whoever reaches the port is one: on loopback only.
   */
  tls?: TlsFiles;
}

/**
 * When it is told to leave (`--signal ldm`), a server first hands over what it leads, for up to the grace period, and then
 * asks its clients, spread over the rest of the time, to go to another server.
 */
const LAME_DUCK = { graceSeconds: 10, seconds: 30 };

/** Configuration of a nats-server (2.9 or newer) with JetStream and one user per service with only the permissions it needs. */
export function natsServerConfig(options: NatsServerOptions): string {
  const users = NATS_USERS.map((user) => userBlock(user, options.passwords[user]));
  const { serverName = 'crm' } = options;
  return `host: ${quote(options.host)}
port: ${options.port}
${options.monitorPort === undefined ? '' : `http: ${quote(`${options.host}:${options.monitorPort}`)}\n`}server_name: ${value(serverName)}
${options.pidFile === undefined ? '' : `pid_file: ${quote(options.pidFile)}\n`}${options.tls === undefined ? '' : `\n${tlsBlock(options.tls)}\n`}${options.cluster === undefined ? '' : `\n${clusterBlock(options.cluster)}\n`}
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

const tlsBlock = ({ certificate, key, authority }: TlsFiles): string => `tls {
  cert_file: ${quote(certificate)}
  key_file: ${quote(key)}
  ca_file: ${quote(authority)}
}`;

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
${tls === undefined ? '' : clusterTlsBlock(tls)}}`;

const clusterTlsBlock = ({ certificate, key, authority }: TlsFiles): string => `  tls {
    cert_file: ${quote(certificate)}
    key_file: ${quote(key)}
    ca_file: ${quote(authority)}
    verify: true
  }
`;

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
