import { describe, expect, it } from '@jest/globals';
import { requireNodeVersion } from './plain-error.mjs';

describe('the version of Node', () => {
  it.each(['20.19.0', '20.20.2', '22.1.0', '24.0.0'])('%s will do', (version) => {
    expect(() => requireNodeVersion(version)).not.toThrow();
  });

  it.each(['18.20.0', '20.18.3'])('%s is refused with what to do', (version) => {
    expect(() => requireNodeVersion(version)).toThrow(`This is Node ${version}; the platform needs 20.19 or newer`);
  });
});
