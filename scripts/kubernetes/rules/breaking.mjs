import { beforeAll, describe, expect, it } from '@jest/globals';
import { find, podOf } from '../manifests.mjs';
import { renderOverlay } from '../render.mjs';

// For the tests of rules: each breaks the manifests of production in one way.

/** @typedef {import('../render.mjs').Manifest} Manifest */
/** @typedef {(manifests: Manifest[]) => void} Break */
/** @typedef {[title: string, breakIt: Break, problem: string]} Case */

/** @type {Manifest[]} */
let production;
beforeAll(async () => {
  production = await renderOverlay('production');
});

/** A copy of the manifests of production, to be broken; inside a test only. */
export const productionManifests = () => structuredClone(production);

/**
 * Each case breaks the manifests in one way, and the rule must find that and nothing else.
 * @param {string} title
 * @param {(manifests: Manifest[]) => string[] | Promise<string[]>} rule
 * @param {readonly Case[]} cases
 */
export function finds(title, rule, cases) {
  describe(title, () => {
    it.each(cases)('find %s', async (_title, breakIt, problem) => {
      const manifests = productionManifests();
      breakIt(manifests);
      expect(await rule(manifests)).toEqual([problem]);
    });
  });
}

/**
 * @param {Manifest[]} manifests
 * @param {string} kind
 * @param {string} name
 * @param {string} [namespace]
 * @returns {any}
 */
export function get(manifests, kind, name, namespace) {
  const manifest = find(manifests, kind, name, namespace);
  if (!manifest) throw new Error(`There is no ${kind} ${name}`);
  return manifest;
}

/** @param {Manifest[]} manifests @returns {any} */
export const gatewayPod = (manifests) => podOf(get(manifests, 'Deployment', 'gateway')).spec;

/** @param {Manifest[]} manifests @returns {any} */
export const gatewayContainer = (manifests) => gatewayPod(manifests).containers[0];

/** @param {Manifest[]} manifests @param {string} kind @param {string} name */
export const remove = (manifests, kind, name) => manifests.splice(manifests.indexOf(get(manifests, kind, name)), 1);
