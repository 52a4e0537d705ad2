import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isNewEnough } from './kubectl.mjs';
import { renderFolder } from './render.mjs';
import { unpackFromZip } from './zip.mjs';

/** @type {string} */
let folder;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'crm-kubectl-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('a kubectl', () => {
  it.each([
    ['Client Version: v1.35.2\nKustomize Version: v5.7.1', true],
    ['Client Version: v1.36.0', true],
    ['Client Version: v2.0.0', true],
    ['Client Version: v1.34.9', false],
    ['Client Version: version.Info{Major:"1", Minor:"20"}', false],
    ['', false],
  ])('that prints %j is new enough: %s', (printed, expected) => {
    expect(isNewEnough(printed)).toBe(expected);
  });
});

describe('rendering', () => {
  it('says what kubectl says of a folder that does not render', async () => {
    await writeFile(path.join(folder, 'kustomization.yaml'), 'resources: [missing.yaml]\n');
    await expect(renderFolder(folder)).rejects.toThrow(/does not render:[\s\S]*missing\.yaml/);
  });
});

/**
 * A zip archive of one file, written by hand.
 * @param {string} name
 * @param {Buffer} packed
 * @param {number} method
 */
function zipOf(name, packed, method) {
  const local = Buffer.alloc(30);
  local.writeUInt32LE(0x04034b50, 0);
  local.writeUInt16LE(name.length, 26);
  const entry = Buffer.alloc(46);
  entry.writeUInt32LE(0x02014b50, 0);
  entry.writeUInt16LE(method, 10);
  entry.writeUInt32LE(packed.length, 20);
  entry.writeUInt16LE(name.length, 28);
  const before = Buffer.concat([local, Buffer.from(name), packed]);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt32LE(46 + name.length, 12);
  end.writeUInt32LE(before.length, 16);
  return Buffer.concat([before, entry, Buffer.from(name), end]);
}

describe('unpacking from a zip archive', () => {
  it.each([
    ['packed', deflateRawSync(Buffer.from('program')), 8],
    ['stored', Buffer.from('program'), 0],
  ])('writes a %s file', async (_how, packed, method) => {
    const [archive, target] = [path.join(folder, 'a.zip'), path.join(folder, 'program')];
    await writeFile(archive, zipOf('bin/program', packed, method));
    await unpackFromZip(archive, 'bin/program', target);
    expect(await readFile(target, 'utf8')).toBe('program');
  });

  it('fails for a missing file, an unknown method and what is no archive', async () => {
    const archive = path.join(folder, 'b.zip');
    const target = path.join(folder, 'nothing');
    await writeFile(archive, zipOf('program', Buffer.from('x'), 12));
    await expect(unpackFromZip(archive, 'other', target)).rejects.toThrow(/holds no other/);
    await expect(unpackFromZip(archive, 'program', target)).rejects.toThrow(/unknown method 12/);
    await writeFile(archive, 'no archive, but long enough for its end');
    await expect(unpackFromZip(archive, 'program', target)).rejects.toThrow(/is not a zip archive/);
  });
});
