// npm run compose:secrets: makes the passwords and keys of docker-compose.yml, once. Needs Node alone: it runs on a fresh clone,
// before anything is installed or built.
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { newKey, newPassword, SERVICES_WITH_KEY } from './new-secrets.mjs';
import { runCommand } from './plain-error.mjs';
import { inRoot } from './root.mjs';

/** Services with a database, and its name, which is also the start of its roles' names (libs/contracts/src/databases.ts). */
const DATABASES = {
  identity: 'identity',
  'custom-objects': 'custom_objects',
  'marketplace-certification': 'marketplace',
  'automation-hooks': 'automations',
  'webhook-dispatcher': 'webhooks',
};
const NATS_USERS = [...Object.keys(DATABASES), 'gateway', 'embed-gateway', 'marketplace-admin', 'provisioner'];
/** Where PostgreSQL answers in the network of the containers. */
const POSTGRES = 'postgres:5432';
/** Where Valkey does. */
const VALKEY = 'valkey:6379';

/** The folder keeps everybody else on the machine out. A file is readable, because a container runs as a user of its
 * own and is given the file as it is, with its owner and its mode (decision record 0153). */
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o444;

/** What is in a secret: a value that stands alone, or one that is made of others.
 * @typedef {(secret: (name: string) => Promise<string>) => string | Promise<string>} Maker */

const snake = (/** @type {string} */ name) => name.replaceAll('-', '_');

/** Every secret, by the name of its file. @returns {Record<string, Maker>} */
export function composeSecrets() {
  const databases = Object.entries(DATABASES).map(([service, database]) => [snake(service), database]);
  return {
    postgres_password: newPassword,
    database_admin_url: async (secret) =>
      `postgres://postgres:${await secret('postgres_password')}@${POSTGRES}/postgres`,
    ...Object.fromEntries(
      databases.flatMap(([service, database]) => {
        const url = (/** @type {string} */ role) =>
          /** @type {Maker} */ (
            async (secret) =>
              `postgres://${database}_${role}:${await secret(`${service}_${role}_password`)}@${POSTGRES}/${database}`
          );
        return [
          [`${service}_owner_password`, newPassword],
          [`${service}_runtime_password`, newPassword],
          [`${service}_narrow_password`, newPassword],
          [`${service}_database_url`, url('runtime')],
          [`${service}_database_narrow_url`, url('narrow')],
        ];
      }),
    ),
    ...Object.fromEntries(SERVICES_WITH_KEY.map((service) => [`${snake(service)}_key_encryption_key`, newKey])),
    ...Object.fromEntries(NATS_USERS.map((user) => [`nats_password_${snake(user)}`, newPassword])),
    redis_password: newPassword,
    redis_url: async (secret) => `redis://:${await secret('redis_password')}@${VALKEY}`,
    smtp_url: () => 'smtp://mailpit:1025',
    grafana_admin_password: newPassword,
  };
}

/** Writes the secrets that are missing; those that exist stay.
 * @param {string} folder @returns {Promise<string[]>} the names of those that were made */
export async function writeComposeSecrets(folder) {
  await mkdir(folder, { recursive: true });
  await chmod(folder, FOLDER_MODE);
  const makers = composeSecrets();
  /** @type {string[]} */
  const made = [];
  /** @type {(name: string) => Promise<string>} */
  const secret = async (name) => {
    const file = path.join(folder, name);
    const present = await readFile(file, 'utf8').catch((error) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (present !== undefined) return present.trim();
    const maker = makers[name];
    if (!maker) throw new Error(`There is no secret ${name}`);
    const value = await maker(secret);
    await writeFile(file, value, { mode: FILE_MODE, flag: 'wx' });
    // Whatever the umask takes away, the containers need.
    await chmod(file, FILE_MODE);
    made.push(name);
    return value;
  };
  for (const name of Object.keys(makers)) await secret(name);
  return made;
}

if (process.argv[1] === import.meta.filename) {
  await runCommand(async () => {
    const made = await writeComposeSecrets(inRoot('deploy', 'compose', 'secrets'));
    const kept = 'Keep a copy elsewhere: without them the data is lost';
    process.stdout.write(`${made.length} secrets made in deploy/compose/secrets. ${kept}\n`);
  });
}
