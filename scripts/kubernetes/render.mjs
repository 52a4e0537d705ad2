import { parseAllDocuments } from 'yaml';
import { PlainError } from '../plain-error.mjs';
import { lastLines, run } from '../processes/run.mjs';
import { inRoot } from '../root.mjs';
import { kubectlProgram } from './kubectl.mjs';

/** The overlays that are meant to be applied, each a folder below `k8s/overlays`. */
export const OVERLAYS = /** @type {const} */ (['dev', 'production', 'production-citus']);

/**
 * An object as `kubectl apply` would send it. The fields differ by kind, so that everything below is looked at by name.
 * @typedef {{ apiVersion: string, kind: string, metadata: { name: string, namespace?: string, labels?: Record<string, string>, annotations?: Record<string, string> }, spec?: any, data?: Record<string, string>, [field: string]: any }} Manifest
 */

/**
 * Renders a kustomization.
 * @param {string} folder absolute
 * @returns {Promise<Manifest[]>}
 * @throws {PlainError} with what kubectl says when it does not render
 */
export async function renderFolder(folder) {
  const outcome = await run(await kubectlProgram(), ['kustomize', folder]);
  if (outcome.code !== 0) throw new PlainError(`${folder} does not render:\n${lastLines(outcome.stderr, 10)}`);
  // A warning is a field that a later version of kustomize drops.
  if (outcome.stderr.trim() !== '') throw new PlainError(`${folder} renders with a warning:\n${outcome.stderr.trim()}`);
  return parseManifests(outcome.stdout);
}

/** @param {(typeof OVERLAYS)[number]} overlay */
export const renderOverlay = (overlay) => renderFolder(inRoot('k8s', 'overlays', overlay));

/**
 * @param {string} text one or more YAML documents
 * @returns {Manifest[]}
 */
export function parseManifests(text) {
  return /** @type {import('yaml').Document[]} */ (parseAllDocuments(text))
    .map((document) => {
      if (document.errors.length > 0) throw new PlainError(document.errors.map(({ message }) => message).join('\n'));
      return document.toJS();
    })
    .filter((manifest) => manifest !== null);
}
