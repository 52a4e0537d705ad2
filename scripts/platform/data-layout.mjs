import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PlainError } from '../plain-error.mjs';

/** Counts the arrangements of databases and schemas that no migration leads from one to the next; 1, the first, had a
 * database for standard records and left no mark. Raise it when data of before cannot be migrated. */
export const DATA_LAYOUT = 4;

/** @param {string} dataDir */
const markFile = (dataDir) => path.join(dataDir, 'layout');

/** Refuses a data folder that another version of the platform has filled. Changes nothing.
 * @param {string} dataDir may be empty or absent @throws {PlainError} of one line that says how to go on */
export async function requireCurrentLayout(dataDir) {
  if (!['secrets.json', 'postgres'].some((name) => existsSync(path.join(dataDir, name)))) return;
  const mark = await readFile(markFile(dataDir), 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  if (mark.trim() === String(DATA_LAYOUT)) return;
  throw new PlainError(
    `${dataDir} holds data of another version of the platform, which this one cannot read: "npm run reset" deletes it.`,
  );
}

/** Marks a data folder with the present layout, before anything is put into it.
 * @param {string} dataDir created if need be; accepted by {@link requireCurrentLayout} */
export async function markLayout(dataDir) {
  await mkdir(dataDir, { recursive: true });
  await writeFile(markFile(dataDir), `${DATA_LAYOUT}\n`);
}
