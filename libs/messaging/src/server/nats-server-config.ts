import { NATS_USERS, type NatsUser, permissionsOf } from './permissions.js';

/**
 * How often the server writes to disk what it has acknowledged; its default is two minutes. What a loss of power takes in
 * that time the relays publish again (docs/decisions/0132-stream-refill.md), so a second is enough; `always` would
 * cost a write for each event.
 */
export const SYNC_INTERVAL = '1s';

export interface NatsServerOptions {
  host: string;
  port: number;
  /** Folder of JetStream's files. */
  storeDir: string;
  /** In plain text, or the name of the server's environment variable that holds it. */
  passwords: Readonly<Record<NatsUser, string | { environment: string }>>;
  /** Port of the monitoring endpoint on the same host; default none. */
  monitorPort?: number;
  /** A duration such as `1s`, or `always`. Not for a server older than 2.10, which does not start with it. Default none. */
  syncInterval?: string | undefined;
}

/** Configuration of a nats-server (2.9 or newer) with JetStream and one user per service with only the permissions it needs. */
export function natsServerConfig(options: NatsServerOptions): string {
  const users = NATS_USERS.map((user) => userBlock(user, options.passwords[user]));
  return `host: ${quote(options.host)}
port: ${options.port}
${options.monitorPort === undefined ? '' : `http: ${quote(`${options.host}:${options.monitorPort}`)}\n`}server_name: "crm"

jetstream {
  store_dir: ${quote(options.storeDir)}
${options.syncInterval === undefined ? '' : `  sync_interval: ${quote(options.syncInterval)}\n`}}

authorization {
  users: [
${users.join('\n')}
  ]
}
`;
}

function userBlock(user: NatsUser, password: string | { environment: string }): string {
  const { publish, subscribe, responds } = permissionsOf(user);
  const secret = typeof password === 'string' ? quote(password) : `$${password.environment}`;
  return `    {
      user: ${quote(user)}
      password: ${secret}
      permissions: {
        publish: { allow: [
${list(publish)}
        ] }
        subscribe: { allow: [
${list(subscribe)}
        ] }
${responds ? '        allow_responses: { max: 1, expires: "1m" }\n' : ''}      }
    }`;
}

const list = (subjects: readonly string[]): string =>
  subjects.map((subject) => `          ${quote(subject)}`).join('\n');

/** JSON strings and the server's configuration language have the same escapes. */
const quote = (text: string): string => JSON.stringify(text);
