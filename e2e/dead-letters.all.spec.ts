import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { addresses } from './platform/addresses.js';

const COMMAND = path.resolve(import.meta.dirname, '../scripts/service-program.mjs');
const run = (service: string) =>
  promisify(execFile)(process.execPath, [COMMAND, 'dead-letters', service, '--data', addresses.dataDir]);

describe('npm run dead-letters', () => {
  it.each(['webhook-dispatcher', 'automation-hooks', 'identity'])('reaches the dead letters of %s', async (service) => {
    // Other tests leave some.
    expect((await run(service)).stdout).toMatch(/^\d+ waiting\n$/m);
  });

  it('names the services that have such events', async () => {
    await expect(run('gateway')).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/automation-hooks.*custom-objects|custom-objects.*automation-hooks/),
    });
  });
});
