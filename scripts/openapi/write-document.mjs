import { mkdir, writeFile } from 'node:fs/promises';
import { register } from 'node:module';
import path from 'node:path';
import { PlainError, runCommand } from '../plain-error.mjs';

/** Writes a document that is made of our sources into the file that the command line names.
 * @param {() => Promise<object>} make may import sources */
export const writeDocument = (make) =>
  runCommand(async () => {
    const [, script = '', file] = process.argv;
    if (!file) throw new PlainError(`Give the file to write: node ${script} <file>`);
    register('./typescript-hooks.mjs', import.meta.url);
    const document = await make();
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, JSON.stringify(document));
  });
