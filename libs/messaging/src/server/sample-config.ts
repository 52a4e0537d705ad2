import { natsServerConfig, SYNC_INTERVAL } from './nats-server-config.js';
import { NATS_USERS, type NatsUser } from './permissions.js';

/** The environment variable of the server that holds a user's password, e.g. `NATS_PASSWORD_CUSTOM_OBJECTS`. */
export const passwordVariable = (user: NatsUser): string => `NATS_PASSWORD_${user.replaceAll('-', '_').toUpperCase()}`;

const HEADER = `# Configuration of NATS for a single server (2.10 or newer): users and permissions of every service.
# Made from libs/contracts by: npm run docs
# Do not edit: a test compares it with what the contracts say. Passwords come from the server's environment.
`;

/** The text of deploy/nats/nats-server.conf. */
export function sampleServerConfig(): string {
  const passwords = Object.fromEntries(
    NATS_USERS.map((user) => [user, { environment: passwordVariable(user) }]),
  ) as Record<NatsUser, { environment: string }>;
  return (
    HEADER +
    natsServerConfig({
      host: '0.0.0.0',
      port: 4222,
      monitorPort: 8222,
      storeDir: '/data/jetstream',
      passwords,
      syncInterval: SYNC_INTERVAL,
    })
  );
}
