import type { Check } from '../check.js';
import { compareManifests } from '../compare.js';

export const OBJ_004: Check = {
  id: 'OBJ-004',
  title: 'Destructive changes to the published version are declared',
  severity: 'warning',
  doc: {
    why: 'An upgrade affects records that tenants already have. Removing an object or a field, or changing the type of a field, loses stored values.',
    fix: 'Keep the field, or declare in `release.breaking` what is lost and what to do before upgrading.',
  },
  async run(context) {
    const published = await context.publishedManifest();
    if (published === undefined) return { skip: 'Only the marketplace knows the published version.' };
    if (published === null) return [];
    const declared = (context.manifest.release?.breaking ?? []).some(
      (text) => text !== undefined && text.trim() !== '',
    );
    if (declared) return [];
    return compareManifests(published, context.manifest, context.addressPolicy)
      .filter((change) => change.effect === 'destructive')
      .map(({ pointer, message }) => ({ pointer, message: `${message} This is not declared in release.breaking.` }));
  },
};
