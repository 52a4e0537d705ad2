// Judges OpenAPI documents by the recommended rules of Redocly and Spectral: node e2e/lint-openapi.mjs <file> …
// Exits 1 when a rule finds anything. e2e/openapi.spec.ts (npm run lint:openapi) hands it those of the public addresses.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Spectral } from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { runCommand } from '../scripts/plain-error.mjs';

/** The name of the licence is enough: its address would say the same a second time. */
const REDOCLY = { extends: ['recommended'], rules: /** @type {const} */ ({ 'info-license-strict': 'off' }) };
const SPECTRAL = {
  extends: [/** @type {import('@stoplight/spectral-core').RulesetDefinition} */ (rulesets.oas)],
  rules: /** @type {const} */ ({ 'license-url': 'off' }),
};

/** Spectral takes whatever has `schema` and `example` for the content of a media type, also a value within an example.
 * @param {{ code: string | number, path: (string | number)[] }} result */
const isAboutDocument = ({ code, path: at }) =>
  code !== 'oas3-valid-media-example' || at.indexOf('example') === at.lastIndexOf('example');

/** @param {string} text the document as JSON, without references to other files
 * @returns {Promise<string[]>} what the rules find, warnings included */
async function findingsOf(text) {
  const spectral = new Spectral();
  spectral.setRuleset(SPECTRAL);
  const [problems, results] = await Promise.all([
    lintFromString({ source: text, config: await createConfig(REDOCLY) }),
    spectral.run(JSON.parse(text)),
  ]);
  return [
    ...problems.map(({ ruleId, message, location: [at] }) => `redocly/${ruleId}  ${at?.pointer ?? '#/'}  ${message}`),
    ...results
      .filter(isAboutDocument)
      .map(({ code, message, path: at }) => `spectral/${code}  ${at.join('/')}  ${message}`),
  ];
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
