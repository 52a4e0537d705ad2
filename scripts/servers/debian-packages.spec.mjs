import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { temporaryFolder } from '../testing/temporary-folder.mjs';
import { installedBy, unpackDebianPackages } from './debian-packages.mjs';

const SIMULATED = `Reading package lists...
The following NEW packages will be installed:
  haproxy liblua5.3-0
Inst liblua5.3-0 (5.3.6-2 Debian:12.11/oldstable [amd64])
Inst haproxy (2.6.12-1 Debian:12.11/oldstable [amd64])
Conf haproxy (2.6.12-1 Debian:12.11/oldstable [amd64])
`;

/** Does what apt-get does: finds packages in the lists of the machine, if it has some, or in those that it is given. */
const APT_GET = `#!/bin/sh
echo "$*" >> "$LOG"
case "$*" in
  *update*) exit 0 ;;
  *Dir::State::lists=*) ;;
  *) [ "$MACHINE_HAS_LISTS" = yes ] || { echo "E: Unable to locate package" >&2; exit 100; } ;;
esac
case "$*" in
  *--simulate*) cat "$SIMULATED" ;;
  *download*) for name in "$@"; do case "$name" in -*|*=*|download) ;; *) echo content > "$name.deb" ;; esac; done ;;
esac
`;
const DPKG = '#!/bin/sh\nmkdir -p "$3" && cp "$2" "$3"\n';

describe('Debian packages that are unpacked', () => {
  const inRoot = temporaryFolder();
  const outer = { ...process.env };
  beforeEach(async () => {
    await mkdir(inRoot('bin'));
    await writeFile(inRoot('bin', 'apt-get'), APT_GET, { mode: 0o755 });
    await writeFile(inRoot('bin', 'dpkg'), DPKG, { mode: 0o755 });
    await writeFile(inRoot('simulated'), SIMULATED);
    const own = { LOG: inRoot('log'), SIMULATED: inRoot('simulated'), MACHINE_HAS_LISTS: 'yes' };
    Object.assign(process.env, own, { PATH: `${inRoot('bin')}:${outer.PATH}` });
  });
  afterEach(() => {
    for (const name of ['LOG', 'SIMULATED', 'MACHINE_HAS_LISTS']) delete process.env[name];
    process.env.PATH = outer.PATH;
  });
  const calls = async () => (await readFile(inRoot('log'), 'utf8')).trim().split('\n');
  const folder = () => inRoot('cache', 'unpacked');

  it('come with those that they need and the machine has not', async () => {
    expect(installedBy(SIMULATED)).toEqual(['liblua5.3-0', 'haproxy']);
    await unpackDebianPackages(folder(), ['haproxy']);
    expect(await readdir(folder())).toEqual(['haproxy.deb', 'liblua5.3-0.deb']);
    expect(await readdir(path.dirname(folder()))).toEqual(['unpacked']);
  });

  it('come alone when nothing else is wanted, and are not fetched twice', async () => {
    await unpackDebianPackages(folder(), ['haproxy'], { alone: true });
    await unpackDebianPackages(folder(), ['haproxy'], { alone: true });
    expect(await readdir(folder())).toEqual(['haproxy.deb']);
    expect(await calls()).toEqual(['-q download haproxy']);
  });

  it('are found by lists of our own where the machine has none', async () => {
    process.env.MACHINE_HAS_LISTS = 'no';
    const cache = inRoot('lists');
    await unpackDebianPackages(folder(), ['haproxy'], { alone: true, cache });
    expect(await readdir(folder())).toEqual(['haproxy.deb']);
    expect((await calls()).map((call) => call.replaceAll(inRoot(), ''))).toEqual([
      '-q download haproxy',
      '-q -o Dir::State::lists=/lists/apt/lists -o Dir::Cache=/lists/apt/cache update',
      '-q -o Dir::State::lists=/lists/apt/lists -o Dir::Cache=/lists/apt/cache download haproxy',
    ]);
  });

  it('are of the newest version where one is asked for, whatever the lists of the machine name', async () => {
    await unpackDebianPackages(folder(), ['haproxy'], { alone: true, newest: true });
    const own = '-o Dir::State::lists=/cache/apt/lists -o Dir::Cache=/cache/apt/cache';
    expect((await calls()).map((call) => call.replaceAll(inRoot(), ''))).toEqual([
      `-q ${own} update`,
      `-q ${own} download haproxy`,
    ]);
  });

  it('leave nothing behind when they cannot be fetched', async () => {
    await writeFile(inRoot('simulated'), '');
    await expect(unpackDebianPackages(folder(), ['haproxy'])).rejects.toThrow('Nothing is left to fetch');
    expect(await readdir(path.dirname(folder()))).toEqual(['apt']);
  });
});
