import { describe, expect, it } from '@jest/globals';
import { isAtLeast, NATS_RELEASE, PROGRAMS, sourcesOf } from './programs.mjs';

const release = (/** @type {string} */ file) => `nats-server-v${NATS_RELEASE}-${file}`;

describe('where a program is fetched from', () => {
  it.each([
    ['a machine with apt', 'nats', true, 'linux', 'x64', ['Debian package', release('linux-amd64.tar.gz')]],
    ['a Mac', 'nats', false, 'darwin', 'arm64', [release('darwin-arm64.zip')]],
    ['Windows', 'nats', false, 'win32', 'x64', []],
    ['a machine without a release', 'nats', false, 'linux', 'mips', []],
    ['any machine', 'kubectl', true, 'linux', 'x64', ['npm']],
  ])('on %s: %s', (_name, program, apt, platform, arch, expected) => {
    const sources = sourcesOf(PROGRAMS[/** @type {keyof typeof PROGRAMS} */ (program)], { apt, platform, arch });
    expect(sources.map(({ from }) => from)).toEqual(expected);
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
    ['haproxy', 'HAProxy version 2.6.12-1+deb12u3 2025/10/03 - https://haproxy.org/', true],
    ['kubectl', 'Client Version: v1.35.0\nKustomize Version: v5.7.1', true],
    ['kubectl', 'Client Version: v1.31.4\nKustomize Version: v5.7.1', false],
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
});
