// npm run lint:openapi: judges the OpenAPI documents of the three public addresses by the recommended rules of Redocly
// and Spectral. Without arguments it starts a platform of its own, on free ports, to read them from; otherwise the
// arguments are files that hold them. Exits 1 when a rule has more findings than openapi/ceiling.json tolerates.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { compare } from './openapi/ceiling.mjs';
import { publicDocuments } from './openapi/documents.mjs';
import { findingsOf } from './openapi/lint.mjs';
import { runCommand } from './plain-error.mjs';
import { columns } from './platform/addresses.mjs';
import { inRoot } from './root.mjs';
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
  const ceiling = JSON.parse(await readFile(inRoot('scripts', 'openapi', 'ceiling.json'), 'utf8'));
  const { counts, exceeded } = compare(findings, ceiling);
  for (const { rule, where, message } of findings.toSorted((one, other) => one.rule.localeCompare(other.rule))) {
    process.stdout.write(`${rule}  ${where}  ${message}\n`);
  }
  const rows = counts.map(([rule, count, most]) => [rule, `${count} found`, `${most} tolerated`]);
  process.stdout.write(`\n${columns(rows).join('\n')}\n${findings.length} findings in ${documents.length} documents\n`);
  if (exceeded.length === 0) return 0;
  process.stdout.write(`More than tolerated: ${exceeded.join(', ')}\n`);
  return 1;
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
