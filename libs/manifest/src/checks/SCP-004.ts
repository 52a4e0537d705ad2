import type { Check } from '../check.js';
import { compareManifests } from '../compare.js';

export const SCP_004: Check = {
  id: 'SCP-004',
  title: 'The new version asks for nothing more than the published one',
  severity: 'warning',
  doc: {
    why: 'A new scope, event, host or object, a scope that is no longer optional, or a formula that now exposes what its readers may not read, or derives something else from it, is something the tenants have not agreed to. An upgrade that brings one waits for the consent of an admin.',
    fix: 'Nothing, when the new access is meant: the upgrade asks for consent. Otherwise take it out again.',
  },
  async run(context) {
    const published = await context.publishedManifest();
    if (published === undefined) return { skip: 'The published version is known to the marketplace only.' };
    if (published === null) return [];
    return compareManifests(published, context.manifest, context.addressPolicy)
      .filter((change) => change.consent)
      .map(({ pointer, message }) => ({ pointer, message: `${message} Upgrading needs the consent of an admin.` }));
  },
};
