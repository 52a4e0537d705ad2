import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { inRoot } from '../root.mjs';
import { CONTEXT } from './contracts.mjs';
import { handMadeSecrets, secretManifests } from './hand-made-secrets.mjs';

const SECRETS = handMadeSecrets({ services: ['gateway', 'identity'], stateful: ['identity'] });
const GIVEN = { SMTP_URL: 'smtps://mail.example.com', BACKUP_ACCESS_KEY_ID: 'id', BACKUP_SECRET_ACCESS_KEY: 'key' };

/** @param {string} name */
const valuesOf = (name) =>
  secretManifests(SECRETS, GIVEN).manifests.find(({ metadata }) => metadata.name === name)?.stringData;

describe('the secrets that people make', () => {
  it('have passwords that stand unescaped in URLs and in the configuration of NATS, each its own', () => {
    const passwords = Object.values({ ...valuesOf('nats-users'), ...valuesOf('database-identity') });
    expect(passwords).toHaveLength(6);
    expect(new Set(passwords).size).toBe(6);
    for (const password of passwords) expect(password).toMatch(/^p[0-9a-f]{48}$/);
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

/** The table of docs/deployment/kubernetes.md. */
const TABLE = [
  '| secret | keys | what |',
  '|---|---|---|',
  ...CONTEXT.handMade.map(({ name, keys, what }) => {
    const names = Object.keys(keys).map((key) => `\`${key}\``);
    return `| \`${name}\` | ${names.join(', ')} | ${what} |`;
  }),
].join('\n');

describe('the page on Kubernetes', () => {
  it('lists the secrets', async () => {
    const file = inRoot('docs', 'deployment', 'kubernetes.md');
    const marked = /(<!-- secrets: begin -->\n)[\s\S]*(<!-- secrets: end -->)/;
    const text = await readFile(file, 'utf8');
    const expected = text.replace(marked, (_all, begin, end) => `${begin}\n${TABLE}\n\n${end}`);
    if (process.env.WRITE_DOCS) await writeFile(file, expected);
    expect(marked.test(text)).toBe(true);
    expect(await readFile(file, 'utf8')).toBe(expected);
  });
});
