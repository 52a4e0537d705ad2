import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { run } from '../processes/run.mjs';
import { inRoot } from '../root.mjs';
import { freePorts } from '../servers/free-port.mjs';
import { redisProgram } from '../servers/programs.mjs';
import { redisAnswers } from '../testing/redis-answers.mjs';

const SCRIPT = inRoot('deploy', 'valkey', 'start-with-secret.sh');

describe('the Valkey of docker-compose.yml', () => {
  let folder = '';
  /** @type {NodeJS.ProcessEnv} */
  let environment = {};

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'crm-valkey-'));
    await writeFile(path.join(folder, 'secret'), 'p4ssword');
    // Under the name that it has in the image.
    const { stdout } = await run('sh', ['-c', 'command -v "$0"', await redisProgram()]);
    await symlink(stdout.trim(), path.join(folder, 'valkey-server'));
    environment = { PATH: `${folder}:${process.env.PATH}`, VALKEY_SECRET: path.join(folder, 'secret') };
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('wants the password of the secret, which is not among its arguments, and keeps nothing on disk', async () => {
    const [port] = /** @type {[number]} */ (await freePorts(1));
    const args = [SCRIPT, '--port', String(port), '--bind', '127.0.0.1'];
    const server = spawn('sh', args, { env: environment, cwd: folder, stdio: 'ignore' });
    try {
      expect(await redisAnswers(port, ['PING', 'AUTH wrong', 'AUTH p4ssword', 'PING'])).toEqual([
        expect.stringMatching(/^-NOAUTH/),
        expect.stringMatching(/^-WRONGPASS/),
        '+OK',
        '+PONG',
      ]);
      const { stdout } = await run('ps', ['-ww', '-o', 'args=', '-p', String(server.pid)]);
      expect(stdout).not.toContain('p4ssword');
      const settings = await Promise.all(
        ['save', 'appendonly', 'maxmemory', 'maxmemory-policy'].map(async (name) => {
          // A list of two texts has five lines: its length, and length and content of each.
          const lines = await redisAnswers(port, ['AUTH p4ssword', `CONFIG GET ${name}`, '', '', '', '']);
          return lines[5];
        }),
      );
      expect(settings).toEqual(['', 'no', String(192 * 1024 * 1024), 'volatile-ttl']);
    } finally {
      server.kill('SIGKILL');
      await once(server, 'exit');
    }
  });

  it('does not start without the secret', async () => {
    const outcome = await run('sh', [SCRIPT], { env: { ...environment, VALKEY_SECRET: path.join(folder, 'none') } });
    expect([outcome.code, outcome.stderr]).not.toEqual([0, '']);
  });
});
