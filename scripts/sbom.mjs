// npm run sbom: the bill of materials of every image (CycloneDX, JSON) and the notices that go with it, in dist/sbom. Made
// from what the builds have put into the bundles, so it builds first.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Version } from '@cyclonedx/cyclonedx-library/Spec';
import { JsonStrictValidator } from '@cyclonedx/cyclonedx-library/Validation';
import { PlainError, runCommand } from './plain-error.mjs';
import { run } from './processes/run.mjs';
import { inRoot, ROOT } from './root.mjs';
import { buildPackages } from './setup/build.mjs';
import { installPackages } from './setup/install.mjs';
import { billOfMaterials } from './supply-chain/bill-of-materials.mjs';
import { imagePackages } from './supply-chain/image-packages.mjs';
import { builtImages } from './supply-chain/images.mjs';
import { licenceProblems } from './supply-chain/licence-rule.mjs';
import { lockedIntegrity } from './supply-chain/lockfile.mjs';
import { noticesOf } from './supply-chain/notices.mjs';

const FOLDER = inRoot('dist', 'sbom');

await runCommand(async () => {
  await installPackages();
  await buildPackages();
  const { version } = JSON.parse(await readFile(inRoot('package.json'), 'utf8'));
  const [integrity, timestamp] = await Promise.all([lockedIntegrity(), sourceTime()]);
  const validator = new JsonStrictValidator(Version.v1dot6);
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
  for (const image of await builtImages()) {
    const contents = imagePackages(image);
    const unlicensed = licenceProblems(contents.map((one) => one.package));
    if (unlicensed.length > 0) throw new PlainError(`crm/${image.name}: ${unlicensed.join('\n')}`);
    const bom = billOfMaterials({ image: `crm/${image.name}`, version, contents, integrity, timestamp });
    const text = `${JSON.stringify(bom, null, 2)}\n`;
    const problem = await validator.validate(text);
    if (problem)
      throw new PlainError(`The bill of materials of ${image.name} breaks its schema: ${JSON.stringify(problem)}`);
    const others = contents.map((one) => one.package).filter(({ isOwn }) => !isOwn);
    await writeFile(path.join(FOLDER, `${image.name}.cdx.json`), text);
    await writeFile(path.join(FOLDER, `${image.name}.notices.txt`), await noticesOf(`crm/${image.name}`, others));
    process.stdout.write(`crm/${image.name}: ${contents.length} packages, ${others.length} of others\n`);
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
