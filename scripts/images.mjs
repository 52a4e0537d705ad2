// npm run images: builds the image for real, starts a container of each service, and walks the demo against them. Needs root on
// Linux, and a network for Debian's and npm's packages; no Docker engine, no registry.
import { readFile } from 'node:fs/promises';
import { findBuildah } from './images/buildah.mjs';
import { mountImage } from './images/container.mjs';
import { localBases } from './images/local-bases.mjs';
import { startPlatform } from './images/platform.mjs';
import { runCommand } from './plain-error.mjs';
import { serviceList } from './platform/services.mjs';
import { run } from './processes/run.mjs';
import { inRoot, ROOT } from './root.mjs';
import { buildPackages, installPackages } from './setup/packages.mjs';
import { Progress } from './setup/progress.mjs';

await runCommand(async () => {
  const progress = new Progress(14);
  await progress.step('Installing packages', installPackages);
  await progress.step('Building', () => buildPackages());
  const buildah = await progress.step('Finding buildah', findBuildah);
  try {
    const bases = await progress.step('Base images', () => localBases(buildah));
    const { version } = JSON.parse(await readFile(inRoot('package.json'), 'utf8'));
    const name = `localhost/crm/platform:${version}`;
    const image = await progress.step(`Building ${name}`, async () => {
      await buildah.build(name, { ...bases, VERSION: version, ...(await commitOf()) });
      return mountImage(buildah, name);
    });
    await walk(image, progress);
  } finally {
    await buildah.unmount();
  }
});

/** @param {import('./images/container.mjs').MountedImage} image @param {Progress} progress */
async function walk(image, progress) {
  // The demo imports a package of ours, which is built by now.
  const { migrateRepeatedly, readPages, runPrograms, walkDemo } = await import('./images/walk.mjs');
  const { SERVICES } = await serviceList();
  const platform = await progress.step('Starting throwaway PostgreSQL, NATS and mail catcher', () =>
    startPlatform(image, SERVICES),
  );
  try {
    await progress.step('Migrating, twice at once and once more', () => migrateRepeatedly(platform));
    await progress.step('Creating the demo sign-ins', () => platform.seed());
    await progress.step('Stopping a container during its start', () => platform.stopDuringStart('gateway'));
    await progress.step(`Starting ${SERVICES.length} containers`, () => platform.startServices());
    await progress.step('Reading the pages that the edges carry', () => readPages(platform));
    await progress.step('Walking the demo', () => walkDemo(platform));
    await progress.step('Running health checks and the other programs', () => runPrograms(platform, image.root));
    await progress.step('Stopping the containers by SIGTERM', () => platform.stopServices());
  } finally {
    await platform.stop();
  }
}

/** @returns {Promise<Record<string, string>>} what the labels say of the commit; nothing in an archive without history */
async function commitOf() {
  const { code, stdout } = await run('git', ['log', '-1', '--format=%H %cI'], { cwd: ROOT });
  const [REVISION = '', CREATED = ''] = stdout.trim().split(' ');
  return code === 0 ? { REVISION, CREATED } : {};
}
