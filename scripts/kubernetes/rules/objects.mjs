import { run } from '../../processes/run.mjs';
import { inRoot } from '../../root.mjs';
import { nameOf } from '../manifests.mjs';

/** @typedef {import('../render.mjs').Manifest} Manifest */

/** The steps of a release, in this order; `kubectl apply -l crm/stage=<stage>` applies one. */
export const STAGES = ['servers', 'migration', 'registration', 'services'];
const STAGE_LABEL = 'crm/stage';
/** Kinds without a namespace. */
const CLUSTER_WIDE = ['ClusterIssuer', 'Namespace'];
const NAMESPACES = ['crm', 'crm-public'];

/**
 * Objects are what the schemas of their versions say.
 * @param {readonly Manifest[]} manifests
 * @returns {Promise<string[]>}
 */
export async function schemaProblems(manifests) {
  const outcome = await run(process.execPath, [inRoot('scripts', 'kubernetes', 'validate.mjs')], {
    input: JSON.stringify(manifests),
  });
  if (outcome.code !== 0) throw new Error(`The schemas could not be asked:\n${outcome.stderr}`);
  /** @type {string[][]} */
  const problems = JSON.parse(outcome.stdout);
  return manifests.flatMap((manifest, index) =>
    (problems[index] ?? []).map((problem) => `${nameOf(manifest)}: ${problem}`),
  );
}

/**
 * Objects have a name only once, and belong to a namespace of ours and to a step of a release.
 * @param {readonly Manifest[]} manifests
 * @returns {string[]}
 */
export const placeProblems = (manifests) => [
  ...manifests.flatMap((manifest) => placeOf(manifest).map((problem) => `${nameOf(manifest)}: ${problem}`)),
  ...doubles(manifests),
];

/** @param {Manifest} manifest */
function placeOf({ kind, metadata }) {
  const problems = [];
  const stage = metadata.labels?.[STAGE_LABEL];
  if (stage === undefined || !STAGES.includes(stage)) problems.push(`no step of a release applies it (${STAGE_LABEL})`);
  if (CLUSTER_WIDE.includes(kind) !== (metadata.namespace === undefined)) problems.push('it must name its namespace');
  if (metadata.namespace !== undefined && !NAMESPACES.includes(metadata.namespace)) {
    problems.push(`${metadata.namespace} is not a namespace of the platform`);
  }
  return problems;
}

/** @param {readonly Manifest[]} manifests */
function doubles(manifests) {
  const names = manifests.map(
    (manifest) => `${manifest.metadata.namespace ?? ''} ${manifest.apiVersion} ${nameOf(manifest)}`,
  );
  return names
    .filter((name, index) => names.indexOf(name) !== index)
    .map((name) => `${name.trim()}: it is there twice`);
}
