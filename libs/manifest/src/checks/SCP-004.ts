import type { Check } from '../check.js';
import { compareManifests } from '../compare.js';

export const SCP_004: Check = {
  id: 'SCP-004',
  title: 'The new version needs no more access than the published one',
  severity: 'warning',
  doc: {
    why: 'Tenants have not consented to a new scope, event, host or object, to a scope that is no longer optional, or to a formula that newly exposes values its readers cannot read, or exposes other such values. An upgrade with such a change waits for the consent of an administrator.',
    fix: 'If the new access is intended, nothing: the upgrade asks for consent. Otherwise remove it.',
  },
  async run(context) {
    const published = await context.publishedManifest();
    if (published === undefined) return { skip: 'Only the marketplace knows the published version.' };
    if (published === null) return [];
    return compareManifests(published, context.manifest, context.addressPolicy)
      .filter((change) => change.consent)
      .map(({ pointer, message }) => ({
        pointer,
        message: `${message} The upgrade needs the consent of an administrator.`,
      }));
  },
};
