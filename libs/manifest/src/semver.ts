import { SEMVER_PATTERN } from './schema/objects.js';

const SEMVER = new RegExp(SEMVER_PATTERN);

/**
 * Compares two semantic versions by precedence (SemVer 2.0.0, 11): build metadata does not count.
 * @returns negative, zero or positive
 * @throws RangeError when either is not a semantic version
 */
export function compareVersions(a: string, b: string): number {
  const left = parse(a);
  const right = parse(b);
  for (let i = 0; i < 3; i++) {
    const order = compareNumbers(left.core[i]!, right.core[i]!);
    if (order !== 0) return order;
  }
  if (!left.prerelease || !right.prerelease) return Number(!left.prerelease) - Number(!right.prerelease);
  return comparePrereleases(left.prerelease, right.prerelease);
}

function parse(version: string): { core: string[]; prerelease: string[] | undefined } {
  const match = SEMVER.exec(version);
  if (!match) throw new RangeError(`not a semantic version: ${version}`);
  return { core: match.slice(1, 4), prerelease: match[4]?.split('.') };
}

/** By length first, so that numbers beyond 2^53 keep their order. */
function compareNumbers(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : Number(a > b));
}

function comparePrereleases(a: string[], b: string[]): number {
  for (const [i, left] of a.entries()) {
    const right = b[i];
    if (right === undefined) return 1;
    const isNumber = [/^\d+$/.test(left), /^\d+$/.test(right)];
    const order =
      isNumber[0] && isNumber[1]
        ? compareNumbers(left, right)
        : isNumber[0] !== isNumber[1]
          ? Number(isNumber[1]) - Number(isNumber[0])
          : left < right
            ? -1
            : Number(left > right);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

export function isVersion(text: string): boolean {
  return SEMVER.test(text);
}
