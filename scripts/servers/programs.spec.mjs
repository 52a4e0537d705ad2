import { describe, expect, it } from '@jest/globals';
import { isAtLeast, knowsSyncInterval, NATS_RELEASE, PROGRAMS, sourcesOf } from './programs.mjs';

describe('where a nats-server is fetched from', () => {
  const release = (/** @type {string} */ file) => ({ from: 'release', asset: `nats-server-v${NATS_RELEASE}-${file}` });
  const debian = { from: 'Debian package', asset: 'nats-server' };

  it.each([
    ['a machine with apt', { apt: true, platform: 'linux', arch: 'x64' }, [debian, release('linux-amd64.tar.gz')]],
    ['a Mac', { apt: false, platform: 'darwin', arch: 'arm64' }, [release('darwin-arm64.zip')]],
    ['Windows', { apt: false, platform: 'win32', arch: 'x64' }, []],
    ['a machine without a release', { apt: false, platform: 'linux', arch: 'mips' }, []],
  ])('on %s', (_name, machine, expected) => {
    expect(sourcesOf(PROGRAMS.nats, machine)).toEqual(expected);
  });
});

describe('a version', () => {
  it.each([
    ['nats', 'nats-server: v2.9.10', true],
    ['nats', 'nats-server: v2.9.0', true],
    ['nats', 'nats-server: v2.11.17', true],
    ['nats', 'nats-server: 3.0.0', true],
    ['nats', 'nats-server: v2.8.4', false],
    ['nats', 'nats-server: v1.4.1', false],
    ['nats', '', false],
    ['redis', 'Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64 build=ae4d7c971a948f0', true],
    ['redis', 'Valkey server v=8.1.1 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64 build=1', true],
    ['redis', 'Redis server v=6.2.14 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64 build=1', false],
    ['redis', 'redis-cli 7.0.15', false],
    ['promtool', 'promtool, version 2.42.0+ds (branch: debian/sid, revision: 2.42.0+ds-5+b5)', true],
    ['promtool', 'promtool, version 2.41.0', false],
  ])('of %s, %s, is new enough: %p', (name, printed, expected) => {
    const { oldest } = PROGRAMS[/** @type {keyof typeof PROGRAMS} */ (name)];
    expect(isAtLeast(printed, oldest)).toBe(expected);
  });

  it.each([
    ['nats-server: v2.9.25', false],
    ['nats-server: v2.10.0', true],
    ['nats-server: v3.0.0', true],
    ['', false],
  ])('%p knows how often to write to disk: %p', (printed, expected) => {
    expect(knowsSyncInterval(printed)).toBe(expected);
  });
});
