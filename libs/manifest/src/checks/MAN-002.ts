import type { Check } from '../check.js';

export const MAN_002: Check = {
  id: 'MAN-002',
  title: 'The key belongs to this publisher',
  severity: 'blocker',
  doc: {
    why: 'The key identifies the app permanently: tenants install it, rate it and grant it scopes under this key. It never passes to another publisher silently.',
    fix: 'Choose a key that is not taken, or sign in to the workspace that owns it.',
  },
  async run({ manifest, probes }) {
    if (!probes.keyOwnership) return { skip: 'Only the marketplace knows who owns the key.' };
    if (manifest.key === undefined) return { skip: 'The manifest has no key.' };
    const ownership = await probes.keyOwnership(manifest.key);
    if (ownership !== 'other') return [];
    return [{ pointer: '/key', message: `The key "${manifest.key}" belongs to another publisher.` }];
  },
};
