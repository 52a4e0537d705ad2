// npm run images: builds every image for real, starts a container of each, and walks the demo against them.
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { buildImage, buildStage, imageName, sizeOf } from './images/build.mjs';
import { Buildah, IMAGES_CACHE } from './images/buildah.mjs';
import { checkImages } from './images/check.mjs';
import { MountedImage } from './images/container.mjs';
import { ContainerPlatform } from './images/container-platform.mjs';
import { readDockerfile } from './images/dockerfile.mjs';
import { localBases } from './images/local-base.mjs';
import { pinBases } from './images/pin.mjs';
import { runPrograms } from './images/programs.mjs';
import { PlainError, runCommand } from './plain-error.mjs';
import { columns } from './platform/addresses.mjs';
import { serviceList } from './platform/services.mjs';
import { buildPackages } from './setup/build.mjs';
import { installPackages } from './setup/install.mjs';
import { Progress } from './setup/progress.mjs';

const USAGE = `npm run images -- [options]
  --only <a,b>       build these targets alone, and start none
  --registry-bases   use the base images that deploy/Dockerfile names, instead of bases made on this machine
  --pin              write the digests that the registry has for the base images into deploy/Dockerfile, and end
  --clean            delete what earlier runs have left in .cache/images, and end
  --help
Needs root on Linux, and a network for Debian's and npm's packages. No Docker engine, no registry.`;

const MEGABYTE = 1_000_000;

await runCommand(async () => {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      'registry-bases': { type: 'boolean', default: false },
      pin: { type: 'boolean' },
      clean: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) {
    process.stdout.write(`${USAGE}\n`);
    return;
  }
  if (values.clean) {
    if (existsSync(IMAGES_CACHE)) await (await Buildah.find()).clean();
    return;
  }
  if (values.pin) {
    for (const line of await pinBases()) process.stdout.write(`${line}\n`);
    return;
  }
  const begun = performance.now();
  await buildAndWalk(values.only?.split(','), values['registry-bases']);
  process.stdout.write(`\nDone in ${((performance.now() - begun) / 1000).toFixed(0)} s\n`);
});

/**
 * @param {readonly string[] | undefined} only
 * @param {boolean} registryBases
 */
async function buildAndWalk(only, registryBases) {
  const progress = new Progress(only ? 6 : 16);
  await progress.step('Installing packages', async (note) => note(await installPackages()));
  await progress.step('Building what the scripts use', async (note) =>
    note(await buildPackages(['@crm/contracts', '@crm/access', '@crm/database', '@crm/messaging', '@crm/sdk'])),
  );
  const { SERVICES } = await serviceList();
  const targets = [...SERVICES, 'migrate'].filter((target) => !only || only.includes(target));
  if (only && targets.length !== only.length) {
    throw new PlainError(`There is no target of that name. Targets: ${SERVICES.join(', ')}, migrate`);
  }
  const buildah = await progress.step('Finding buildah', () => Buildah.find());
  /** @type {Record<string, MountedImage>} */
  const images = {};
  try {
    const bases = await progress.step('Base images', async (note) => {
      const { images: named } = await readDockerfile();
      if (registryBases) return {};
      const made = await localBases(buildah, named.NODE_IMAGE ?? '');
      note(Object.values(made).join(', '));
      return made;
    });
    await progress.step(`Building ${targets.length} images`, async () => {
      await buildStage(buildah, 'build', bases);
      for (const target of targets) await buildImage(buildah, target, bases);
      await buildah.removeLeftovers();
    });
    for (const target of targets) images[target] = await MountedImage.mount(buildah, await imageName(target));
    process.stdout.write(`${(await sizeTable(images)).join('\n')}\n`);
    await progress.step('Comparing labels, ports and licence texts with what they must be', async (note) =>
      note(await checkImages(images)),
    );
    if (!only) await walk(images, SERVICES, progress);
  } finally {
    for (const image of Object.values(images)) await image.remove();
    await buildah.unmount();
  }
}

/**
 * @param {Readonly<Record<string, MountedImage>>} images
 * @param {readonly import('./platform/services.mjs').ServiceName[]} services
 * @param {Progress} progress
 */
async function walk(images, services, progress) {
  // The demo imports a package of ours, which is built by now.
  const { migrateRepeatedly, readPages, walkDemo } = await import('./images/walk.mjs');
  const platform = await progress.step('Starting throwaway PostgreSQL, NATS and mail catcher', () =>
    ContainerPlatform.start(images, services),
  );
  try {
    await progress.step('Migrating, twice at once and once more', async (note) =>
      note(await migrateRepeatedly(platform)),
    );
    await progress.step('Creating the demo sign-ins', () => platform.seed());
    await progress.step('Stopping a container during its start', () => platform.stopDuringStart('gateway'));
    await progress.step(`Starting ${services.length} containers`, () => platform.startServices());
    await progress.step('Running the health check of each', () => platform.checkHealth());
    await progress.step('Reading the pages that the edges carry', async (note) =>
      note(`${await readPages(platform)} files`),
    );
    await progress.step('Walking the demo', async (note) => note(`${await walkDemo(platform)} steps`));
    await progress.step('Running the other programs of the images', async (note) =>
      note(`${await runPrograms(platform)} runs`),
    );
    await progress.step('Stopping the containers by SIGTERM', async (note) => {
      await platform.stopServices();
      note('each ended with exit code 0');
    });
  } finally {
    await platform.stop();
  }
}

/**
 * @param {Readonly<Record<string, MountedImage>>} images
 * @returns {Promise<string[]>}
 */
async function sizeTable(images) {
  const megabytes = (/** @type {number} */ bytes) => `${(bytes / MEGABYTE).toFixed(1)} MB`.padStart(9);
  const rows = await Promise.all(
    Object.entries(images).map(async ([target, image]) => {
      const { total, application } = await sizeOf(image);
      return [await imageName(target), megabytes(total), `of it /app ${megabytes(application)}`];
    }),
  );
  return columns(rows);
}
