import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { inRoot } from '../root.mjs';
import { temporaryFolder } from '../testing/temporary-folder.mjs';
import { DATA_LAYOUT, markLayout, requireCurrentLayout } from './data-layout.mjs';
import { readableLogLine, rotateLog } from './log-files.mjs';
import { loadSecrets } from './secrets.mjs';

const inFolder = temporaryFolder();

describe('a data folder', () => {
  const fill = () => writeFile(inFolder('secrets.json'), '{"databases": {"crm": {}}}');

  it('that is absent, empty or marked with the present layout is accepted', async () => {
    await requireCurrentLayout(inFolder('absent'));
    await mkdir(inFolder('logs'));
    await requireCurrentLayout(inFolder());
    await markLayout(inFolder());
    await fill();
    await requireCurrentLayout(inFolder());
  });

  it('that bears no mark, or that of another layout, is refused in one line that names npm run reset', async () => {
    await fill();
    const refused = expect.objectContaining({ message: expect.stringMatching(/^[^\n]*"npm run reset"[^\n]*$/) });
    await expect(requireCurrentLayout(inFolder())).rejects.toEqual(refused);
    await writeFile(inFolder('layout'), `${DATA_LAYOUT + 1}\n`);
    await expect(requireCurrentLayout(inFolder())).rejects.toEqual(refused);
  });

  it.each([[[]], [['--detach']]])(
    'of an earlier version ends npm start %j at once and stays as it is',
    async (options) => {
      await fill();
      const args = [inRoot('scripts', 'start.mjs'), '--data', inFolder(), ...options];
      const outcome = await new Promise((resolve) => {
        execFile(process.execPath, args, (error, ...printed) => resolve([error?.code, ...printed]));
      });
      expect(outcome).toEqual([1, '', expect.stringMatching(/^\n[^\n]*npm run reset[^\n]*\n$/)]);
      expect(await readdir(inFolder())).toEqual(['secrets.json']);
    },
  );
});

describe('the secrets of a data folder', () => {
  const load = (/** @type {readonly string[]} */ names) =>
    loadSecrets(inFolder(), { stateful: names, natsUsers: names });

  it('are made once, readable by the owner alone', async () => {
    const first = await load(['identity']);
    expect(await load(['identity'])).toEqual(first);
    expect((await stat(inFolder('secrets.json'))).mode & 0o777).toBe(0o600);
    const [id, key = ''] = (first.keyEncryption.identity ?? '').split(':');
    expect([id, Buffer.from(key, 'base64').length]).toEqual(['1', 32]);
  });

  it('grow with the services and keep what they had', async () => {
    const first = await load(['identity']);
    const second = await load(['identity', 'billing']);
    expect(second.databases.identity).toEqual(first.databases.identity);
    expect(second.nats.identity).toEqual(first.nats.identity);
    expect(second.databases.billing?.runtime).toHaveLength(33);
  });

  it('are not made anew over data that was made with others', async () => {
    await mkdir(inFolder('postgres'));
    await expect(load([])).rejects.toThrow('npm run reset');
  });

  it('are not replaced when the file is damaged', async () => {
    await writeFile(inFolder('secrets.json'), '{"postgres": ');
    await expect(load([])).rejects.toThrow('not valid JSON');
  });
});

describe('the logs of a data folder', () => {
  it('are kept of this start and of the one before', async () => {
    await rotateLog(inFolder('a.log'));
    for (const content of ['the first one', 'the second one']) {
      await writeFile(inFolder('a.log'), content);
      await rotateLog(inFolder('a.log'));
    }
    expect(await readdir(inFolder())).toEqual(['a.log.1']);
    expect(await readFile(inFolder('a.log.1'), 'utf8')).toBe('the second one');
  });

  it.each([
    ['{"level":50,"msg":"cannot start","err":{"message":"boom"}}', 'cannot start: boom'],
    ['{"level":30,"msg":"up"}', 'up'],
    ['plain', 'plain'],
    ['{not json', '{not json'],
    ['{"no":"message"}', '{"no":"message"}'],
  ])('have the line %j, which people read as %j', (line, shown) => {
    expect(readableLogLine(line)).toBe(shown);
  });
});
