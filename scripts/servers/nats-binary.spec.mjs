import { describe, expect, it } from '@jest/globals';
import { isNewEnough, knowsSyncInterval, NATS_RELEASE, natsSources, releaseAsset } from './nats-binary.mjs';

const MACHINE = { onPath: false, cached: false, apt: false, platform: 'linux', arch: 'x64' };

describe('where a nats-server comes from', () => {
  it('is the installed one before everything else', () => {
    expect(natsSources({ ...MACHINE, onPath: true, cached: true, apt: true })).toEqual(['path']);
  });

  it('is the one fetched earlier before another download', () => {
    expect(natsSources({ ...MACHINE, cached: true, apt: true })).toEqual(['cache']);
  });

  it('is the Debian package where there is apt, and the release if that fails', () => {
    expect(natsSources({ ...MACHINE, apt: true })).toEqual(['debian-package', 'release']);
  });

  it('is the release elsewhere', () => {
    expect(natsSources({ ...MACHINE, platform: 'darwin', arch: 'arm64' })).toEqual(['release']);
  });

  it('is nowhere on a machine without a release', () => {
    expect(natsSources({ ...MACHINE, arch: 'mips' })).toEqual([]);
  });
});

describe('the file of the release', () => {
  it('has the names of the project', () => {
    expect(releaseAsset('linux', 'x64')).toBe(`nats-server-v${NATS_RELEASE}-linux-amd64.tar.gz`);
    expect(releaseAsset('darwin', 'arm64')).toBe(`nats-server-v${NATS_RELEASE}-darwin-arm64.zip`);
    expect(releaseAsset('win32', 'x64')).toBeUndefined();
  });
});

describe('a version', () => {
  it.each([
    ['nats-server: v2.9.10', true],
    ['nats-server: v2.9.0', true],
    ['nats-server: v2.11.17', true],
    ['nats-server: 3.0.0', true],
    ['nats-server: v2.8.4', false],
    ['nats-server: v1.4.1', false],
    ['', false],
  ])('%p new enough: %p', (printed, expected) => {
    expect(isNewEnough(printed)).toBe(expected);
  });

  it.each([
    ['nats-server: v2.9.25', false],
    ['nats-server: v2.10.0', true],
    ['nats-server: v2.14.4', true],
    ['nats-server: v3.0.0', true],
    ['', false],
  ])('%p knows how often to write to disk: %p', (printed, expected) => {
    expect(knowsSyncInterval(printed)).toBe(expected);
  });
});
