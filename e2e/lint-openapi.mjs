// Judges OpenAPI documents by the recommended rules of Redocly: node e2e/lint-openapi.mjs <file> …
// Exits 1 when a rule finds anything. e2e/openapi.spec.ts (npm run lint:openapi) hands it those of the public addresses.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { runCommand } from '../scripts/plain-error.mjs';

/** The name of the licence is enough: its address would say the same a second time. */
const REDOCLY = { extends: ['recommended'], rules: /** @type {const} */ ({ 'info-license-strict': 'off' }) };

/** @param {string} text the document as JSON, without references to other files
 * @returns {Promise<string[]>} what the rules find, warnings included */
async function findingsOf(text) {
  const problems = await lintFromString({ source: text, config: await createConfig(REDOCLY) });
  return problems.map(({ ruleId, message, location: [at] }) => `${ruleId}  ${at?.pointer ?? '#/'}  ${message}`);
}

await runCommand(async () => {
  const files = process.argv.slice(2);
  let count = 0;
  for (const file of files) {
    for (const finding of await findingsOf(await readFile(file, 'utf8'))) {
      process.stdout.write(`${path.basename(file, '.json')}  ${finding}\n`);
      count += 1;
    }
  }
  process.stdout.write(`${count} findings in ${files.length} documents\n`);
  return count === 0 ? 0 : 1;
});
