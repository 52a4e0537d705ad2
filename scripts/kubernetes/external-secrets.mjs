import { stringify } from 'yaml';

/** @typedef {import('./hand-made-secrets.mjs').HandMadeSecret} HandMadeSecret */

/** The store that whoever runs the platform makes: it says which vault, and how to sign in to it. */
export const STORE = 'crm';
/** Where entries are in the vault; each is called like its secret. */
const FOLDER = 'crm';
/** Only Citus has it, and an entry that is not there is an error of External Secrets. */
const OF_CITUS = 'database-superuser';

const HEAD = `# Made from scripts/kubernetes/hand-made-secrets.mjs: npm run docs
#
# A secret outlives what describes it: without the encryption keys the databases are worth little.
`;

/**
 * What fills the secrets that no operator makes from a vault.
 * @param {readonly HandMadeSecret[]} secrets
 */
export const externalSecretsText = (secrets) =>
  HEAD +
  secrets
    .filter(({ name }) => name !== OF_CITUS)
    .map(({ name, keys }) => stringify(externalSecret(name, Object.keys(keys)), { lineWidth: 0 }))
    .join('---\n');

/**
 * @param {string} name
 * @param {readonly string[]} keys
 */
const externalSecret = (name, keys) => ({
  apiVersion: 'external-secrets.io/v1',
  kind: 'ExternalSecret',
  metadata: {
    name,
    namespace: 'crm',
    labels: { 'app.kubernetes.io/part-of': 'crm', 'crm/stage': 'servers' },
  },
  spec: {
    refreshInterval: '1h',
    secretStoreRef: { kind: 'ClusterSecretStore', name: STORE },
    target: { name, creationPolicy: 'Orphan', deletionPolicy: 'Retain' },
    data: keys.map((key) => ({ secretKey: key, remoteRef: { key: `${FOLDER}/${name}`, property: key } })),
  },
});
