import type { Check } from '../check.js';
import { compareVersions, isVersion } from '../semver.js';

export const MAN_003: Check = {
  id: 'MAN-003',
  title: 'The version is higher than every submitted version',
  severity: 'blocker',
  doc: {
    why: 'A submitted version never changes, so a new package needs a new version, and tenants upgrade in one direction.',
    fix: 'Raise `version` above the highest version that was ever submitted, by the precedence rules of Semantic Versioning (build metadata does not count).',
  },
  async run({ manifest, probes }) {
    if (!probes.submittedVersions) return { skip: 'Only the marketplace knows which versions were submitted.' };
    const { key, version } = manifest;
    if (key === undefined || version === undefined || !isVersion(version)) {
      return { skip: 'The manifest has no key or no valid version.' };
    }
    const submitted = (await probes.submittedVersions(key)).filter(isVersion);
    const highest = submitted.reduce<string | undefined>(
      (high, next) => (high === undefined || compareVersions(next, high) > 0 ? next : high),
      undefined,
    );
    if (highest === undefined || compareVersions(version, highest) > 0) return [];
    return [
      {
        pointer: '/version',
        message: `The version ${version} is not higher than ${highest}, which was already submitted.`,
      },
    ];
  },
};
