import { chown, copyFile, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { serviceEnvironment } from '../platform/service-environment.mjs';

/** Where a container finds its secrets: what compose and Kubernetes use too. */
export const SECRETS = '/run/secrets';

/** The user and group of every image. */
export const USER = 10_001;

/** Variables that a container gets as files, because files are not inherited and are not shown by an engine. */
const SECRET =
  /^(DATABASE_URL|DATABASE_NARROW_URL|DATABASE_ADMIN_URL|NATS_PASSWORD|KEY_ENCRYPTION_KEY|SMTP_URL|\w+_(OWNER|RUNTIME|NARROW)_PASSWORD)$/;

/** What concerns the development profile of this machine; the images have their own. */
const OF_THIS_MACHINE = ['HOST', 'NODE_COMPILE_CACHE', 'MALLOC_ARENA_MAX', 'EMBED_PAGE_DIR', 'ACCOUNT_PAGE_DIR'];

/**
 * The environment of a service's container, in the development profile.
 * @param {import('../platform/services.mjs').ServiceName} service
 * @param {Omit<import('../platform/service-environment.mjs').EnvironmentInput, 'outer'>} input
 * @param {string} volume folder for its secrets
 * @returns {Promise<Record<string, string>>}
 */
export async function containerEnvironment(service, input, volume) {
  const environment = serviceEnvironment(service, { ...input, outer: {} });
  for (const name of OF_THIS_MACHINE) delete environment[name];
  if (environment.EGRESS_CA_FILE) {
    await mkdir(volume, { recursive: true });
    await copyFile(environment.EGRESS_CA_FILE, path.join(volume, 'demo-ca.pem'));
    environment.EGRESS_CA_FILE = `${SECRETS}/demo-ca.pem`;
  }
  return withSecretFiles(environment, volume);
}

/**
 * The environment of the migration's container.
 * @param {{ secrets: import('../platform/secrets.mjs').Secrets, addresses: import('../platform/addresses.mjs').Addresses }} input
 * @param {string} volume
 */
export function migrateEnvironment({ secrets, addresses }, volume) {
  const passwords = Object.entries(secrets.databases).flatMap(([service, roles]) =>
    Object.entries(roles).map(([role, password]) => [
      `${service}-${role}-password`.toUpperCase().replaceAll('-', '_'),
      password,
    ]),
  );
  return withSecretFiles(
    {
      ...Object.fromEntries(passwords),
      DATABASE_ADMIN_URL: addresses.databaseUrl,
      NATS_URL: addresses.natsUrl,
      NATS_PASSWORD: secrets.nats.provisioner,
      NATS_REPLICAS: '1',
    },
    volume,
  );
}

/**
 * Writes the secrets of an environment into files that the user of the images alone can read.
 * @param {NodeJS.ProcessEnv} environment
 * @param {string} volume
 * @returns {Promise<Record<string, string>>} with NAME_FILE in the place of each
 */
async function withSecretFiles(environment, volume) {
  await mkdir(volume, { recursive: true });
  await chown(volume, USER, USER);
  /** @type {Record<string, string>} */
  const result = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined) continue;
    if (!SECRET.test(name)) {
      result[name] = value;
      continue;
    }
    const file = path.join(volume, name.toLowerCase());
    await writeFile(file, `${value}\n`, { mode: 0o400 });
    await chown(file, USER, USER);
    result[`${name}_FILE`] = `${SECRETS}/${name.toLowerCase()}`;
  }
  return result;
}
