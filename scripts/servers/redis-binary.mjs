import { chmod, mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PlainError } from '../plain-error.mjs';
import { run } from '../processes/run.mjs';
import { CACHE_DIR } from '../root.mjs';
import { unpackDebianPackages } from './debian-packages.mjs';
import { isProgram } from './fetched-program.mjs';

/** Its scripts may write what they have made of the clock, without asking for it. Debian 12 has 7.0. */
export const OLDEST_REDIS = 7;

const CACHE = path.join(CACHE_DIR, 'redis');
const CACHED_PROGRAM = path.join(CACHE, 'redis-server');

/**
 * Finds or fetches a Redis or Valkey server, without needing root.
 * @returns {Promise<string>} the program to run
 * @throws {PlainError} with what was tried and how to do it by hand
 */
export async function redisProgram() {
  for (const installed of ['valkey-server', 'redis-server']) {
    const version = await run(installed, ['--version']);
    if (version.code === 0 && isNewEnough(version.stdout)) return installed;
  }
  if (await isProgram(CACHED_PROGRAM)) return CACHED_PROGRAM;
  try {
    await fromDebian();
    return CACHED_PROGRAM;
  } catch (error) {
    throw new PlainError(
      `There is no redis-server or valkey-server (${OLDEST_REDIS} or newer) on this machine, and fetching Debian's package ` +
        `failed: ${error instanceof Error ? error.message : error}\n` +
        'By hand: install it so that "redis-server --version" works (Debian and Ubuntu: apt install redis-server; macOS:\n' +
        'brew install redis).',
      { cause: error },
    );
  }
}

/**
 * @param {string} printed by `--version`, such as `Redis server v=7.0.15 sha=…`
 * @returns {boolean}
 */
export const isNewEnough = (printed) => Number(/\bv=(\d+)\./.exec(printed)?.[1] ?? 0) >= OLDEST_REDIS;

/** Puts a program into the cache that starts the server of the package with the libraries that came with it. */
async function fromDebian() {
  const unpacked = path.join(CACHE, 'unpacked');
  await unpackDebianPackages(unpacked, ['redis-server']);
  const libraries = path.join(
    unpacked,
    'usr',
    'lib',
    process.arch === 'arm64' ? 'aarch64-linux-gnu' : 'x86_64-linux-gnu',
  );
  const server = path.join(unpacked, 'usr', 'bin', 'redis-server');
  const ready = `${CACHED_PROGRAM}.${process.pid}`;
  await mkdir(CACHE, { recursive: true });
  await writeFile(ready, `#!/bin/sh\nLD_LIBRARY_PATH='${libraries}' exec '${server}' "$@"\n`);
  await chmod(ready, 0o755);
  const version = await run(ready, ['--version']);
  if (version.code !== 0 || !isNewEnough(version.stdout)) {
    throw new Error(`the server does not run or is too old: ${version.stdout.trim() || version.stderr.trim()}`);
  }
  await rename(ready, CACHED_PROGRAM);
}
