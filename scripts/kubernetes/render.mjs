import { parseAllDocuments } from 'yaml';
import { PlainError } from '../plain-error.mjs';
import { run } from '../processes/run.mjs';
import { inRoot } from '../root.mjs';
import { programOf } from '../servers/programs.mjs';

/** The overlays that are meant to be applied, each a folder below `k8s/overlays`. */
export const OVERLAYS = /** @type {const} */ (['dev', 'production', 'production-citus']);

/** An object as `kubectl apply` would send it.
 * @typedef {{ apiVersion: string, kind: string, metadata: { name: string, namespace?: string, labels?: Record<string, string>, annotations?: Record<string, string> }, spec?: any, data?: Record<string, string>, [field: string]: any }} Manifest */

/** Renders a kustomization.
 * @param {string} folder absolute @throws {PlainError} with what kubectl says when it does not render */
export async function renderFolder(folder) {
  const { code, stdout, stderr } = await run(await programOf('kubectl'), ['kustomize', folder]);
  // A warning is a field that a later version of kustomize drops.
  if (code !== 0 || stderr.trim() !== '') throw new PlainError(`${folder} does not render:\n${stderr.trim()}`);
  return /** @type {import('yaml').Document[]} */ (parseAllDocuments(stdout)).map((document) => document.toJS());
}

/** @param {(typeof OVERLAYS)[number]} overlay */
export const renderOverlay = (overlay) => renderFolder(inRoot('k8s', 'overlays', overlay));
