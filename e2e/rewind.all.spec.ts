import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { addresses } from './platform/addresses.js';

const COMMAND = path.resolve(import.meta.dirname, '../scripts/rewind.mjs');

const rewind = (...args: string[]) =>
  promisify(execFile)(process.execPath, [COMMAND, ...args, '--data', addresses.dataDir]);

describe('npm run rewind', () => {
  it('has a service of the running platform receive its events again', async () => {
    const since = new Date(Date.now() - 1_000).toISOString();
    const { stdout } = await rewind('automation-hooks', '--since', since);
    expect(stdout).toMatch(/^automation-hooks receives the events since \S+Z again: \d+\n$/);
  });

  it.each([
    ['gateway', '2026-01-01T00:00:00Z'],
    ['automation-hooks', '2026-01-01'],
    ['automation-hooks', '2999-01-01T00:00:00Z'],
  ])('refuses %s since %s, and names the services', async (service, since) => {
    await expect(rewind(service, '--since', since)).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Services: webhook-dispatcher, automation-hooks'),
    });
  });
});
