import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { inRoot } from '../root.mjs';
import { DATA_LAYOUT, markLayout, requireCurrentLayout } from './data-layout.mjs';

describe('a data folder', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'crm-layout-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const fill = () => writeFile(path.join(folder, 'secrets.json'), '{"databases": {"crm": {}}}');

  it('that is absent, empty or marked with the present layout is accepted', async () => {
    await requireCurrentLayout(path.join(folder, 'absent'));
    await mkdir(path.join(folder, 'logs'));
    await requireCurrentLayout(folder);
    await markLayout(folder);
    await fill();
    await requireCurrentLayout(folder);
  });

  it('that bears no mark, or that of another layout, is refused in one line that names npm run reset', async () => {
    await fill();
    const refused = expect.objectContaining({ message: expect.stringMatching(/^[^\n]*"npm run reset"[^\n]*$/) });
    await expect(requireCurrentLayout(folder)).rejects.toEqual(refused);
    await writeFile(path.join(folder, 'layout'), `${DATA_LAYOUT + 1}\n`);
    await expect(requireCurrentLayout(folder)).rejects.toEqual(refused);
  });

  it.each([[[]], [['--detach']]])(
    'of an earlier version ends npm start %j at once and stays as it is',
    async (options) => {
      await fill();
      const { code, stdout, stderr } = await npmStart(['--data', folder, ...options]);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr.trim().split('\n')).toEqual([expect.stringContaining('npm run reset')]);
      expect(await readdir(folder)).toEqual(['secrets.json']);
    },
  );
});

/** @param {readonly string[]} options @returns {Promise<{ code: unknown, stdout: string, stderr: string }>} */
const npmStart = (options) =>
  new Promise((resolve) => {
    execFile(process.execPath, [inRoot('scripts', 'start.mjs'), ...options], (error, stdout, stderr) => {
      resolve({ code: error?.code ?? 0, stdout, stderr });
    });
  });
