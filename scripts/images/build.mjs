import { readFile } from 'node:fs/promises';
import { run } from '../processes/run.mjs';
import { inRoot, ROOT } from '../root.mjs';
import { DOCKERFILE } from './dockerfile.mjs';

/** The labels that differ from one commit to the next, by the ARG that has their value. */
const LABELS = /** @type {const} */ ({
  'org.opencontainers.image.version': 'VERSION',
  'org.opencontainers.image.revision': 'REVISION',
  'org.opencontainers.image.created': 'CREATED',
});

/**
 * Builds the image of a target. The build stage is the same for all and is built once. It trusts the authority that this
 * process trusts, which matters behind a proxy that signs by itself.
 * @param {import('./buildah.mjs').Buildah} buildah
 * @param {string} target
 * @param {Readonly<Record<string, string>>} bases the base images, by the ARG of the Dockerfile
 * @returns {Promise<string>} the name of the image
 */
export async function buildImage(buildah, target, bases) {
  const labels = await labelArguments();
  const image = await imageName(target);
  const values = Object.entries({ ...labels, ...bases }).flatMap(([name, value]) => [
    '--build-arg',
    `${name}=${value}`,
  ]);
  // buildah 1.28 compares no values of labels with its cache; these help where any layer has changed, but not where none has.
  const given = Object.entries(LABELS).flatMap(([label, name]) => ['--label', `${label}=${labels[name]}`]);
  const own = Object.values(bases).length > 0 ? ['--pull-never'] : [];
  // The format of Docker keeps the health check; OCI's has no place for it.
  const options = ['--layers', '--format', 'docker', '--isolation', 'chroot', '--target', target, '--tag', image];
  const authority = process.env.NODE_EXTRA_CA_CERTS;
  const trust = authority
    ? ['--secret', `id=ca,src=${authority}`, '--build-arg', 'NODE_EXTRA_CA_CERTS=/run/secrets/ca']
    : [];
  await buildah.run(['build', ...options, ...given, ...own, ...values, ...trust, '--file', DOCKERFILE, ROOT]);
  return image;
}

/**
 * @param {string} target
 * @returns {Promise<string>}
 */
export const imageName = async (target) => `localhost/crm/${target}:${(await labelArguments()).VERSION}`;

/** @returns {Promise<{ VERSION: string, REVISION: string, CREATED: string }>} what the labels say */
async function labelArguments() {
  const { version } = JSON.parse(await readFile(inRoot('package.json'), 'utf8'));
  const commit = await run('git', ['log', '-1', '--format=%H %cI'], { cwd: ROOT });
  const [revision, created] = commit.stdout.trim().split(' ');
  // Of an archive without history nobody knows.
  return { VERSION: version, REVISION: revision || 'unknown', CREATED: created || '1970-01-01T00:00:00Z' };
}

/**
 * @param {import('./container.mjs').MountedImage} image
 * @returns {Promise<{ total: number, application: number }>} bytes of its files, not compressed: all, and those in /app
 */
export async function sizeOf(image) {
  const bytes = async (/** @type {string} */ folder) => {
    const used = await run('du', ['--summarize', '--bytes', '--one-file-system', folder]);
    return Number.parseInt(used.stdout, 10);
  };
  return { total: await bytes(image.root), application: await bytes(`${image.root}/app`) };
}
