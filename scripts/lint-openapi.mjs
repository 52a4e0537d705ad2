// npm run lint:openapi: judges the OpenAPI documents of the three public addresses by the recommended rules of Redocly
// and Spectral. Without arguments it starts a platform of its own, on free ports, to read them from; otherwise the
// arguments are files that hold them. Exits 1 when a rule finds anything.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { publicDocuments } from './openapi/documents.mjs';
import { findingsOf } from './openapi/lint.mjs';
import { runCommand } from './plain-error.mjs';
import { buildPackages } from './setup/build.mjs';
import { startTestPlatform } from './testing/platform-for-tests.mjs';

await runCommand(async () => {
  const files = process.argv.slice(2);
  const documents = files.length > 0 ? await Promise.all(files.map(readDocument)) : await startAndRead();
  /** @type {import('./openapi/lint.mjs').Finding[]} */
  const findings = [];
  for (const { name, text } of documents) {
    for (const finding of await findingsOf(text)) findings.push({ ...finding, where: `${name} ${finding.where}` });
  }
  for (const { rule, where, message } of findings) process.stdout.write(`${rule}  ${where}  ${message}\n`);
  process.stdout.write(`${findings.length} findings in ${documents.length} documents\n`);
  return findings.length === 0 ? 0 : 1;
});

/** @param {string} file */
async function readDocument(file) {
  return { name: path.basename(file, '.json'), text: await readFile(file, 'utf8') };
}

async function startAndRead() {
  await buildPackages();
  const platform = await startTestPlatform();
  try {
    return await publicDocuments(platform.addresses);
  } finally {
    await platform.stop();
  }
}
