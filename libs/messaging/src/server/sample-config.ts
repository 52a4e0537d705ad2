import { MAX_FILE_STORE, natsServerConfig, SYNC_INTERVAL } from './nats-server-config.js';
import { NATS_USERS, type NatsUser } from './permissions.js';

/** The environment variable of the server that holds a user's password, e.g. `NATS_PASSWORD_CUSTOM_OBJECTS`. */
export const passwordVariable = (user: NatsUser): string => `NATS_PASSWORD_${user.replaceAll('-', '_').toUpperCase()}`;

const HEADER = `# Configuration of NATS for a single server (2.10 or newer): users and permissions of every service.
# Made from libs/contracts by: npm run docs
# Do not edit: a test compares it with what the contracts say. Passwords come from the server's environment.
`;

const CLUSTER_HEADER = `# Configuration of each of the three NATS servers (2.10 or newer) on Kubernetes: users and permissions of every service.
# Made from libs/contracts by: npm run docs
# Do not edit: a test compares it with what the contracts say. Passwords come from the server's environment.
`;

const passwordsFromEnvironment = (): Record<NatsUser, { environment: string }> =>
  Object.fromEntries(NATS_USERS.map((user) => [user, { environment: passwordVariable(user) }])) as Record<
    NatsUser,
    { environment: string }
  >;

/** The text of k8s/base/nats/nats.conf. */
export function clusterServerConfig(): string {
  const tls = { certificate: '/etc/nats/tls/tls.crt', key: '/etc/nats/tls/tls.key', authority: '/etc/nats/tls/ca.crt' };
  const servers = [0, 1, 2].map((ordinal) => `nats-${ordinal}.nats-servers:6222`);
  return (
    CLUSTER_HEADER +
    natsServerConfig({
      host: '0.0.0.0',
      port: 4222,
      monitorPort: 8222,
      serverName: { environment: 'POD_NAME' },
      pidFile: '/var/run/nats/nats.pid',
      storeDir: '/data/jetstream',
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
export function sampleServerConfig(): string {
  return (
    HEADER +
    natsServerConfig({
      host: '0.0.0.0',
      port: 4222,
      monitorPort: 8222,
      storeDir: '/data/jetstream',
      maxFileStore: MAX_FILE_STORE,
      passwords: passwordsFromEnvironment(),
      syncInterval: SYNC_INTERVAL,
    })
  );
}
