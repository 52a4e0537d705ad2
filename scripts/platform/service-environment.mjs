import path from 'node:path';
import { CACHE_DIR, inRoot } from '../root.mjs';
import { withoutNpmVariables } from '../setup/pnpm.mjs';

/** @typedef {import('./services.mjs').ServiceName} ServiceName */

/** @typedef {object} EnvironmentInput
 * @property {Pick<import('./layout.mjs').Layout, 'services'>} layout
 * @property {import('./secrets.mjs').Secrets} secrets
 * @property {import('./addresses.mjs').Addresses} addresses
 * @property {import('./provision.mjs').Provisioned['databases']} databases
 * @property {NodeJS.ProcessEnv} outer the environment of the start command: LOG_LEVEL, NAME_SERVERS, EGRESS_ALLOW, EGRESS_CA_FILE
 *   and everything that is not set here pass through */

/** Services that call addresses given by tenants. */
const CALLERS_OF_THE_OUTSIDE = ['webhook-dispatcher', 'automation-hooks', 'identity'];

/** Where marketplace-admin finds the services that serve operators: at their ports for them. */
const FOR_OPERATORS = { IDENTITY_URL: 'identity', MARKETPLACE_URL: 'marketplace-certification' };

/** Where the gateway finds the services it routes to, besides embed-gateway and marketplace-admin (own addresses). */
const ROUTED = {
  IDENTITY_URL: 'identity',
  CUSTOM_OBJECTS_URL: 'custom-objects',
  MARKETPLACE_URL: 'marketplace-certification',
  AUTOMATIONS_URL: 'automation-hooks',
  WEBHOOKS_URL: 'webhook-dispatcher',
};

/** The environment of one service in the development profile.
 * @param {ServiceName} name @param {EnvironmentInput} input @returns {NodeJS.ProcessEnv} */
export function serviceEnvironment(name, { layout, secrets, addresses, databases, outer }) {
  const ports = layout.services[name];
  if (!ports) throw new Error(`No ports for ${name}`);
  const database = databases[name];
  const operators = layout.services['marketplace-admin'];
  const receiver = addresses.demoReceiver;
  const callsOutside = CALLERS_OF_THE_OUTSIDE.includes(name);
  return {
    ...withoutNpmVariables(outer),
    PROFILE: 'development',
    HOST: '127.0.0.1',
    PORT: String(ports.port),
    OPS_PORT: String(ports.operationsPort),
    OPERATORS_PORT: ports.operatorsPort === undefined ? undefined : String(ports.operatorsPort),
    LOG_LEVEL: outer.LOG_LEVEL ?? 'info',
    // Node 22 and newer keep the compiled code there and start faster; Node 20 takes no notice.
    NODE_COMPILE_CACHE: outer.NODE_COMPILE_CACHE ?? path.join(CACHE_DIR, 'compiled'),
    // glibc reads it: the helper threads of a Node process share two arenas, and eight processes hold 27 MiB less.
    MALLOC_ARENA_MAX: outer.MALLOC_ARENA_MAX ?? '2',
    BASE_URL: addresses.baseUrl,
    EMBED_API_URL: addresses.embedApiUrl,
    HOOK_BASE_URL: addresses.baseUrl,
    TOKEN_ISSUER: addresses.baseUrl,
    NATS_URL: addresses.natsUrl,
    NATS_PASSWORD: secrets.nats[name],
    DATABASE_URL: database?.runtimeUrl,
    DATABASE_NARROW_URL: database?.narrowUrl,
    KEY_ENCRYPTION_KEY: secrets.keyEncryption[name],
    SMTP_URL: name === 'identity' ? addresses.smtpUrl : undefined,
    // Browsers know no passkeys of IP addresses.
    OPERATOR_PASSKEY_ORIGINS: name === 'identity' && operators ? `http://localhost:${operators.port}` : undefined,
    EMBED_PAGE_DIR: name === 'embed-gateway' ? inRoot('apps', 'embed-page', 'dist') : undefined,
    CONSOLE_DIR: name === 'gateway' ? inRoot('apps', 'console', 'dist') : undefined,
    ...(name === 'gateway' && urlsOf(ROUTED, (service) => addresses.services[service]?.url)),
    ...(name === 'marketplace-admin' &&
      urlsOf(FOR_OPERATORS, (service) => `http://127.0.0.1:${layout.services[service]?.operatorsPort}`)),
    // Loopback is closed to calls to the outside; in the development profile the demo's receiver is let through.
    EGRESS_ALLOW: callsOutside
      ? (outer.EGRESS_ALLOW ?? `127.0.0.1:${receiver.port},localhost:${receiver.port}`)
      : undefined,
    NAME_SERVERS: name === 'identity' ? outer.NAME_SERVERS : undefined,
    EGRESS_CA_FILE: callsOutside ? (outer.EGRESS_CA_FILE ?? receiver.caFile) : undefined,
  };
}

/** @param {Record<string, string>} variables and the services whose URL each has @param {(service: string) => string | undefined} urlOf */
const urlsOf = (variables, urlOf) =>
  Object.fromEntries(Object.entries(variables).map(([variable, service]) => [variable, urlOf(service)]));
