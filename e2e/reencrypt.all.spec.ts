import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { addresses } from './platform/addresses.js';

const COMMAND = path.resolve(import.meta.dirname, '../scripts/service-program.mjs');
const run = (...args: string[]) =>
  promisify(execFile)(process.execPath, [COMMAND, 'reencrypt', ...args, '--data', addresses.dataDir]);

describe('npm run reencrypt', () => {
  it.each(['webhook-dispatcher', 'automation-hooks', 'identity', 'marketplace-certification'])(
    'finds nothing left to seal again in %s, whose installation is new',
    async (service) => {
      const { stdout } = await run(service);
      const lines = stdout.trimEnd().split('\n');
      const sealed = lines.filter((line) => line.includes('sealed again'));
      expect(sealed.length).toBeGreaterThan(0);
      for (const line of sealed) expect(line).toMatch(/\t0 sealed again, 0 changed meanwhile, 0 do not open$/);
      for (const line of lines.slice(sealed.length)) expect(line).toMatch(/^\w+\.\w+\t1\t\d+\tcurrent$/);
    },
  );

  it('says with which key the signing keys are sealed', async () => {
    expect((await run('identity', '--status')).stdout).toMatch(/^signing_key\.sealed_private_jwk\t1\t\d+\tcurrent$/m);
  });

  it('names the services that have encryption keys', async () => {
    await expect(run('gateway')).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('identity') });
  });
});
