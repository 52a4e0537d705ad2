import { readFile } from 'node:fs/promises';
import { run } from '../processes/run.mjs';
import { inRoot, ROOT } from '../root.mjs';
import { DOCKERFILE, readDockerfile, settingsOf } from './dockerfile.mjs';

/** The labels that differ from one commit to the next, by the ARG of deploy/Dockerfile that has their value. */
export const COMMIT_LABELS = /** @type {const} */ ({
  'org.opencontainers.image.version': 'VERSION',
  'org.opencontainers.image.revision': 'REVISION',
  'org.opencontainers.image.created': 'CREATED',
});

/** @typedef {{ VERSION: string, REVISION: string, CREATED: string }} CommitValues */

/** @type {Promise<CommitValues> | undefined} */
let commit;

/**
 * Builds a stage of the Dockerfile, without the labels of the commit. The stage that builds is the same for all targets and is
 * built once. It trusts the authority that this process trusts, which matters behind a proxy that signs by itself.
 * @param {import('./buildah.mjs').Buildah} buildah
 * @param {string} stage
 * @param {Readonly<Record<string, string>>} bases the base images, by the ARG of the Dockerfile
 * @returns {Promise<string>} the name of what was built, by which the next run finds what has not changed
 */
export async function buildStage(buildah, stage, bases) {
  const built = `localhost/crm-build/${stage}:${(await commitValues()).VERSION}`;
  const values = Object.entries(bases).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]);
  const own = Object.values(bases).length > 0 ? ['--pull-never'] : [];
  // The format of Docker keeps the health check; OCI's has no place for it.
  const options = ['--layers', '--format', 'docker', '--isolation', 'chroot', '--target', stage, '--tag', built];
  const authority = process.env.NODE_EXTRA_CA_CERTS;
  const trust = authority
    ? ['--secret', `id=ca,src=${authority}`, '--build-arg', 'NODE_EXTRA_CA_CERTS=/run/secrets/ca']
    : [];
  await buildah.run(['build', ...options, ...own, ...values, ...trust, '--file', DOCKERFILE, ROOT]);
  return built;
}

/**
 * Builds the image of a target. The labels of the commit are set on what was built: buildah 1.28 looks up a layer without
 * looking at the values of labels, and would hand out those of an earlier commit (decision record 0166).
 * @param {import('./buildah.mjs').Buildah} buildah
 * @param {string} target
 * @param {Readonly<Record<string, string>>} bases the base images, by the ARG of the Dockerfile
 * @returns {Promise<string>} the name of the image
 */
export async function buildImage(buildah, target, bases) {
  const [built, image, values] = await Promise.all([
    buildStage(buildah, target, bases),
    imageName(target),
    commitValues(),
  ]);
  const labels = Object.entries(COMMIT_LABELS).flatMap(([label, name]) => ['--label', `${label}=${values[name]}`]);
  await buildah.derive(built, image, async (container) => {
    await buildah.run(['config', ...labels, container]);
  });
  return image;
}

/**
 * @param {string} target
 * @returns {Promise<Record<string, string>>} the labels that its image must have
 */
export async function expectedLabels(target) {
  const [{ labels }, values] = [settingsOf(await readDockerfile(), target), await commitValues()];
  const ofCommit = Object.entries(COMMIT_LABELS).map(([label, name]) => [label, values[name]]);
  return { ...labels, ...Object.fromEntries(ofCommit) };
}

/**
 * @param {string} target
 * @returns {Promise<string>}
 */
export const imageName = async (target) => `localhost/crm/${target}:${(await commitValues()).VERSION}`;

/**
 * What the labels of the commit say. It is looked up once: all images of a run are of one commit, whatever is committed meanwhile.
 * @returns {Promise<CommitValues>}
 */
function commitValues() {
  commit ??= readCommit();
  return commit;
}

/** @returns {Promise<CommitValues>} */
async function readCommit() {
  const { version } = JSON.parse(await readFile(inRoot('package.json'), 'utf8'));
  const logged = await run('git', ['log', '-1', '--format=%H %cI'], { cwd: ROOT });
  const [revision, created] = logged.stdout.trim().split(' ');
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
