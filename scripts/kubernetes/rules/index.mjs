import { agreementProblems } from './agreement.mjs';
import { availabilityProblems } from './availability.mjs';
import { backupProblems } from './backups.mjs';
import { variableProblems } from './environment.mjs';
import { eventStoreProblems } from './event-store.mjs';
import { networkProblems } from './network.mjs';
import { placeProblems, schemaProblems } from './objects.mjs';
import { podProblems } from './pods.mjs';
import { referenceProblems } from './references.mjs';
import { transportProblems } from './transport.mjs';

/**
 * What the rules compare manifests with.
 * @typedef {import('./agreement.mjs').Contracts & { version: string, handMade: readonly import('../hand-made-secrets.mjs').HandMadeSecret[], network: import('../network-policies.mjs').NetworkInput }} Context
 */

/**
 * What is wrong with rendered manifests.
 * @param {readonly import('../render.mjs').Manifest[]} manifests
 * @param {Context} context
 * @param {{ arrows?: readonly import('./network.mjs').Arrow[], backup?: boolean }} [overlay] arrows: what it adds to those of the
 *   contracts; backup: whether its databases must have one, as by default
 * @returns {Promise<string[]>} a sentence for each problem
 */
export async function manifestProblems(manifests, context, { arrows = [], backup = true } = {}) {
  return [
    ...(await schemaProblems(manifests)),
    ...placeProblems(manifests),
    ...podProblems(manifests, context),
    ...availabilityProblems(manifests),
    ...referenceProblems(manifests, context),
    ...(await variableProblems(manifests, context)),
    ...networkProblems(manifests, context.network, arrows),
    ...agreementProblems(manifests, context),
    ...transportProblems(manifests, context),
    ...eventStoreProblems(manifests),
    ...(backup ? backupProblems(manifests) : []),
  ];
}
