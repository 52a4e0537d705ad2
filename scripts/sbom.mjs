// npm run sbom: the bill of materials of every image (CycloneDX, JSON) and the notices that go with it, in dist/sbom. Made
// from what the builds have put into the bundles, so it builds first.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runCommand } from './plain-error.mjs';
import { run } from './processes/run.mjs';
import { inRoot, ROOT } from './root.mjs';
import { buildPackages } from './setup/build.mjs';
import { installPackages } from './setup/install.mjs';
import { documentsOf } from './supply-chain/documents.mjs';
import { builtImages } from './supply-chain/images.mjs';
import { lockedIntegrity } from './supply-chain/lockfile.mjs';

const FOLDER = inRoot('dist', 'sbom');

await runCommand(async () => {
  await installPackages();
  await buildPackages();
  const { version } = JSON.parse(await readFile(inRoot('package.json'), 'utf8'));
  const [integrity, timestamp] = await Promise.all([lockedIntegrity(), sourceTime()]);
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
  for (const image of await builtImages()) {
    const { bill, notices, counts } = await documentsOf(image, { version, integrity, timestamp });
    await writeFile(path.join(FOLDER, `${image.name}.cdx.json`), bill);
    await writeFile(path.join(FOLDER, `${image.name}.notices.txt`), notices);
    process.stdout.write(`crm/${image.name}: ${counts.all} packages, ${counts.ofOthers} of others\n`);
  }
  process.stdout.write(`${path.relative(ROOT, FOLDER)}\n`);
  return 0;
});

/**
 * @returns {Promise<string | undefined>} when what is built was written: the same sources give the same bill of materials
 */
async function sourceTime() {
  const { SOURCE_DATE_EPOCH } = process.env;
  const commit = SOURCE_DATE_EPOCH ?? (await run('git', ['log', '-1', '--format=%ct'], { cwd: ROOT })).stdout.trim();
  return commit === '' ? undefined : new Date(Number(commit) * 1000).toISOString();
}
