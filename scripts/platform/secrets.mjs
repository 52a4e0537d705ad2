import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { newKey, newPassword, SERVICES_WITH_KEY } from '../new-secrets.mjs';
import { PlainError } from '../plain-error.mjs';

/** What is generated once for a data folder. Losing it makes the folder useless, so it lies beside the data.
 * @typedef {object} Secrets
 * @property {string} postgres password of the superuser of the embedded server
 * @property {Record<string, { owner: string, runtime: string, narrow: string }>} databases by stateful service
 * @property {Record<string, string>} nats by NATS user
 * @property {Record<string, string>} keyEncryption by service: a ring of one key, whose name is 1, or a key without a name */

const roles = () => ({ owner: newPassword(), runtime: newPassword(), narrow: newPassword() });
const RESTORE = 'Restore it, or let "npm run reset" delete all development data.';

/** Reads the secrets of a data folder and adds those that are missing.
 * @param {string} dataDir @param {{ stateful: readonly string[], natsUsers: readonly string[] }} wanted
 * @throws {PlainError} when the file is unreadable, or lost while its data is still there */
export async function loadSecrets(dataDir, { stateful, natsUsers }) {
  const file = path.join(dataDir, 'secrets.json');
  const text = await readFile(file, 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return '{}';
    throw error;
  });
  if (text === '{}' && existsSync(path.join(dataDir, 'postgres'))) {
    throw new PlainError(`${file} is missing. It held the passwords of the databases beside it.\n${RESTORE}`);
  }
  const present = parse(file, text);
  /** @template T @param {readonly string[]} names @param {Record<string, T> | undefined} known @param {() => T} generate */
  const complete = (names, known, generate) => ({
    ...known,
    ...Object.fromEntries(names.filter((name) => !known?.[name]).map((name) => [name, generate()])),
  });
  /** @type {Secrets} */
  const secrets = {
    postgres: present.postgres ?? newPassword(),
    databases: complete(stateful, present.databases, roles),
    nats: complete(natsUsers, present.nats, newPassword),
    keyEncryption: complete(SERVICES_WITH_KEY, present.keyEncryption, newKey),
  };
  const updated = `${JSON.stringify(secrets, null, 2)}\n`;
  if (updated !== text) {
    await mkdir(dataDir, { recursive: true });
    await writeFile(`${file}.new`, updated, { mode: 0o600 });
    await rename(`${file}.new`, file);
  }
  return secrets;
}

/** @param {string} file @param {string} text @returns {Partial<Secrets>} */
function parse(file, text) {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const what = `${file} is not valid JSON. It holds the passwords of the data beside it.`;
    throw new PlainError(`${what}\n${RESTORE}`, { cause });
  }
}
