import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { addresses } from './platform/addresses.js';

const COMMAND = path.resolve(import.meta.dirname, '../scripts/service-program.mjs');

describe('npm run dead-letters', () => {
  it.each(['webhook-dispatcher', 'automation-hooks', 'identity'])('reaches the dead letters of %s', async (service) => {
    const args = [COMMAND, 'dead-letters', service, '--data', addresses.dataDir];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    expect(stdout).toBe('0 waiting\n');
  });

  it('names the services that have such events', async () => {
    const failing = promisify(execFile)(process.execPath, [
      COMMAND,
      'dead-letters',
      'gateway',
      '--data',
      addresses.dataDir,
    ]);
    await expect(failing).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/automation-hooks.*custom-objects|custom-objects.*automation-hooks/),
    });
  });
});
