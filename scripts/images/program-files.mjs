import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';

/** A relative import of a bundle, static or not, and a file named by its address; rolldown writes them in this form alone. */
const RELATIVE_IMPORT = /\b(?:(?:from|import)\s*\(?|new URL\()\s*"(\.{1,2}\/[^"]+\.(?:js|br))"/g;

/**
 * What a program of a bundle can load: itself and the chunks that it imports, with their source maps. A build also writes
 * chunks that no program reaches any more.
 * @param {string} folder of the bundle
 * @param {readonly string[]} programs below it
 * @returns {Promise<string[]>} paths below the folder, sorted
 * @throws {Error} when an imported file is not there
 */
export async function programFiles(folder, programs) {
  /** @type {Set<string>} */
  const found = new Set();
  const waiting = [...programs];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (found.has(file)) continue;
    found.add(file);
    const code = await readFile(path.join(folder, file), 'utf8');
    for (const [, imported = ''] of code.matchAll(RELATIVE_IMPORT)) {
      waiting.push(path.join(path.dirname(file), imported));
    }
  }
  const maps = [...found].map((file) => `${file}.map`).filter((file) => existsSync(path.join(folder, file)));
  return [...found, ...maps].sort();
}
