import { describe, expect, it } from '@jest/globals';
import { compareVersions, isVersion } from './semver.js';

/** In ascending order; from SemVer 2.0.0, section 11. */
const ORDER = [
  ...['0.0.1', '0.9.9', '1.0.0-1', '1.0.0-alpha', '1.0.0-alpha.1', '1.0.0-alpha.beta', '1.0.0-beta', '1.0.0-beta.2'],
  ...['1.0.0-beta.11', '1.0.0-rc.1', '1.0.0', '1.2.0', '1.10.0', '2.0.0', '90071992547409930.0.0'],
  '90071992547409931.0.0',
];

describe('compareVersions', () => {
  it.each(ORDER.slice(1).map((version, i) => [ORDER[i]!, version]))('%s is lower than %s', (a, b) => {
    expect(compareVersions(a, b)).toBeLessThan(0);
    expect(compareVersions(b, a)).toBeGreaterThan(0);
    expect(compareVersions(a, a)).toBe(0);
  });

  it('ignores build metadata', () => expect(compareVersions('1.0.0+a', '1.0.0+b')).toBe(0));

  const wrong = ['', '1', '1.0', 'v1.0.0', '01.0.0', '1.0.0-', '1.0.0-01', '1.0.0+', '1.0.0 '];
  it.each(wrong)('%j is no version', (text) => {
    expect(isVersion(text)).toBe(false);
    expect(() => compareVersions(text, '1.0.0')).toThrow(RangeError);
  });
});
