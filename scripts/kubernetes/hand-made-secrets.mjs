import { newKey, newPassword, SERVICES_WITH_KEY } from '../new-secrets.mjs';

/** A secret that no operator makes: anyone who runs the platform does, once. what: a sentence for docs/deployment/kubernetes.md.
 * @typedef {{ name: string, keys: Readonly<Record<string, SecretKey>>, what: string }} HandMadeSecret */

/** Where a value comes from: generated, or the environment variable in which the person who makes it gives it.
 * @typedef {{ generate: () => string } | { given: string, example: string } | { fixed: string }} SecretKey */

/** Users of NATS: the services, and who makes streams. */
const PROVISIONER = 'provisioner';

/** @type {SecretKey} */
const PASSWORD = { generate: newPassword };
/** @type {SecretKey} */
const KEY = { generate: newKey };

/** @param {{ services: readonly string[], stateful: readonly string[] }} contracts
 * @returns {readonly HandMadeSecret[]} in alphabetical order */
export function handMadeSecrets({ services, stateful }) {
  return [
    {
      name: 'backup-store',
      keys: {
        'access-key-id': { given: 'BACKUP_ACCESS_KEY_ID', example: 'AKIAEXAMPLE' },
        'secret-access-key': { given: 'BACKUP_SECRET_ACCESS_KEY', example: 'example' },
      },
      what: 'Rights to read and write the bucket of the backups.',
    },
    ...stateful.map((service) => ({
      name: `database-${service}`,
      keys: { 'owner-password': PASSWORD, 'runtime-password': PASSWORD, 'narrow-password': PASSWORD },
      what: `The three roles of the database of ${service}. The migration job sets them.`,
    })),
    {
      name: 'database-superuser',
      keys: { username: { fixed: 'postgres' }, password: PASSWORD },
      what: 'The superuser of all nodes of Citus; without Citus the operator makes one.',
    },
    ...SERVICES_WITH_KEY.map((service) => ({
      name: `encryption-${service}`,
      keys: { 'key-encryption-key': KEY },
      what: `Seals what ${service} keeps secret. Without it, a backup of the database is worth little: keep a copy elsewhere.`,
    })),
    {
      name: 'limits',
      keys: { 'redis-password': PASSWORD },
      what: 'Opens the server in which replicas count rate limits. It reads it at its start.',
    },
    {
      name: 'mail',
      keys: { 'smtp-url': { given: 'SMTP_URL', example: 'smtps://user:password@mail.example.com:465' } },
      what: 'The mail server, with user and password.',
    },
    {
      name: 'nats-users',
      keys: Object.fromEntries([...services, PROVISIONER].map((user) => [user, PASSWORD])),
      what: 'The users of NATS. The servers read them at their start.',
    },
  ];
}

/** The secrets with fresh values, as manifests. @param {readonly HandMadeSecret[]} secrets
 * @param {Readonly<Record<string, string | undefined>>} environment holds what is given
 * @returns {{ manifests: import('./render.mjs').Manifest[], missing: string[] }} missing: variables that are not set */
export function secretManifests(secrets, environment) {
  /** @type {string[]} */
  const missing = [];
  const valueFor = (/** @type {SecretKey} */ key) => {
    if ('generate' in key) return key.generate();
    if ('fixed' in key) return key.fixed;
    const value = environment[key.given];
    if (!value) missing.push(key.given);
    return value ?? '';
  };
  const manifests = secrets.map(({ name, keys }) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: 'crm', labels: { 'app.kubernetes.io/part-of': 'crm' } },
    stringData: Object.fromEntries(Object.entries(keys).map(([key, source]) => [key, valueFor(source)])),
  }));
  return { manifests, missing };
}
