import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readableLogLine, rotateLog } from './log-files.mjs';

describe('rotating a log', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'crm-log-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('leaves a small or missing file alone', async () => {
    await rotateLog(path.join(folder, 'missing.log'), 10);
    await writeFile(path.join(folder, 'a.log'), 'short');
    await rotateLog(path.join(folder, 'a.log'), 10);
    expect(await readdir(folder)).toEqual(['a.log']);
  });

  it('keeps the last three of a large one', async () => {
    const file = path.join(folder, 'a.log');
    for (const content of ['first', 'second', 'third', 'fourth', 'fifth']) {
      await writeFile(file, content.padEnd(20));
      await rotateLog(file, 10);
    }
    expect((await readdir(folder)).sort()).toEqual(['a.log.1', 'a.log.2', 'a.log.3']);
    expect((await readFile(`${file}.1`, 'utf8')).trim()).toBe('fifth');
  });
});

describe('a log line for people', () => {
  it('is the message of a JSON line with its error', () => {
    expect(readableLogLine('{"level":50,"msg":"cannot start","err":{"message":"boom"}}')).toBe('cannot start: boom');
    expect(readableLogLine('{"level":30,"msg":"up"}')).toBe('up');
  });

  it('is any other line as it is', () => {
    for (const line of ['plain', '{not json', '{"no":"message"}']) expect(readableLogLine(line)).toBe(line);
  });
});
