// The files that are made from the contracts and from the list of secrets: npm run docs writes them.
import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { DATABASES } from '../../libs/contracts/src/databases.js';
import { SERVICES } from '../../libs/contracts/src/services.js';
import { run } from '../processes/run.mjs';
import { inRoot } from '../root.mjs';
import { handMadeSecrets, secretManifests } from './hand-made-secrets.mjs';
import { networkPoliciesText } from './network-policies.mjs';
import { renderOverlay } from './render.mjs';

const SECRETS = handMadeSecrets({ services: SERVICES, stateful: Object.keys(DATABASES) });

const TABLE = [
  '| secret | keys | what |',
  '|---|---|---|',
  ...SECRETS.map(({ name, keys, what }) => {
    const names = Object.keys(keys).map((key) => `\`${key}\``);
    return `| \`${name}\` | ${names.join(', ')} | ${what} |`;
  }),
].join('\n');

/** @type {[file: string, expected: (text: string) => string][]} */
const FILES = [
  ['k8s/base/network/connections.yaml', () => networkPoliciesText()],
  [
    'docs/deployment/kubernetes.md',
    (text) => {
      const [before, after] = ['<!-- secrets: begin -->\n', '<!-- secrets: end -->'];
      expect(text).toContain(before);
      return `${text.split(before)[0]}${before}\n${TABLE}\n\n${after}${text.split(after)[1]}`;
    },
  ],
];

it.each(FILES)('%s is what the sources say', async (file, expected) => {
  const text = expected(await readFile(inRoot(file), 'utf8'));
  if (process.env.WRITE_DOCS) await writeFile(inRoot(file), text);
  expect(await readFile(inRoot(file), 'utf8')).toBe(text);
});

describe('the secrets that people make', () => {
  const GIVEN = { SMTP_URL: 'smtps://mail.example.com', BACKUP_ACCESS_KEY_ID: 'id', BACKUP_SECRET_ACCESS_KEY: 'key' };
  const valuesOf = (/** @type {string} */ name) =>
    secretManifests(SECRETS, GIVEN).manifests.find(({ metadata }) => metadata.name === name)?.stringData;

  it('have passwords that stand unescaped in URLs and in the configuration of NATS, each its own', () => {
    const passwords = Object.values({ ...valuesOf('nats-users'), ...valuesOf('database-identity') });
    expect(passwords).toHaveLength(SERVICES.length + 1 + 3);
    expect(new Set(passwords).size).toBe(passwords.length);
    for (const password of passwords) expect(password).toMatch(/^p[\w-]{32}$/);
  });

  it('have keys of 32 bytes, with an id', () => {
    const [id, key] = valuesOf('encryption-identity')['key-encryption-key'].split(':');
    expect([id, Buffer.from(key, 'base64').length]).toEqual(['1', 32]);
  });

  it('take what only people know from the environment, and say what is missing', () => {
    expect(valuesOf('mail')).toEqual({ 'smtp-url': GIVEN.SMTP_URL });
    expect(valuesOf('database-superuser')).toMatchObject({ username: 'postgres' });
    expect(secretManifests(SECRETS, { SMTP_URL: 'x' }).missing).toEqual([
      'BACKUP_ACCESS_KEY_ID',
      'BACKUP_SECRET_ACCESS_KEY',
    ]);
  });
});

/** @param {readonly string[]} args */
const command = (args) => run(process.execPath, [inRoot('scripts', 'kubernetes.mjs'), ...args]);

describe('npm run k8s', () => {
  it('renders what kubectl, which reads YAML 1.1, understands as what kustomize says', async () => {
    const { code, stdout } = await command(['render', 'production']);
    expect(code).toBe(0);
    const read = parseAllDocuments(stdout, { version: '1.1' });
    expect(Array.isArray(read) && read.map((document) => document.toJS())).toEqual(await renderOverlay('production'));
  }, 60_000);

  it('makes the secrets that are named alone, without asking for what only others need', async () => {
    const { code, stdout } = await command(['secrets', 'production', 'nats-users']);
    expect(code).toBe(0);
    expect(stdout.match(/^kind: .*|^ {2}name: .*/gm)).toEqual(['kind: Secret', '  name: nats-users']);
  }, 60_000);

  it('makes nothing when a name is unknown', async () => {
    const { code, stdout, stderr } = await command(['secrets', 'production', 'nats-users', 'nats']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('No secret of this overlay: nats\n');
  }, 60_000);
});
