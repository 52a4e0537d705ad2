import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { generate } from 'selfsigned';
import { parseAllDocuments } from 'yaml';
import { run } from '../processes/run.mjs';
import { inRoot } from '../root.mjs';
import { freePorts } from '../servers/free-port.mjs';
import { redisProgram } from '../servers/programs.mjs';
import { redisAnswers } from '../testing/redis-answers.mjs';

const PASSWORD = 'p4ssword';

let folder = '';
let port = 0;
/** @type {import('node:child_process').ChildProcess | undefined} */
let server;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'crm-valkey-'));
  [port] = /** @type {[number]} */ (await freePorts(1));
});
afterEach(async () => {
  server?.kill('SIGKILL');
  if (server) await once(server, 'exit');
  server = undefined;
  await rm(folder, { recursive: true });
});

describe('the Valkey of docker-compose.yml', () => {
  const SCRIPT = inRoot('deploy', 'valkey', 'start-with-secret.sh');
  const environment = () => ({
    PATH: `${folder}:${process.env.PATH}`,
    VALKEY_SECRET: path.join(folder, 'secret'),
  });

  it('wants the password of the secret, which is not among its arguments, and keeps nothing on disk', async () => {
    await writeFile(path.join(folder, 'secret'), PASSWORD);
    // Under the name that it has in the image.
    const { stdout: program } = await run('sh', ['-c', 'command -v "$0"', await redisProgram()]);
    await symlink(program.trim(), path.join(folder, 'valkey-server'));
    const args = [SCRIPT, '--port', String(port), '--bind', '127.0.0.1'];
    server = spawn('sh', args, { env: environment(), cwd: folder, stdio: 'ignore' });
    expect(await redisAnswers(port, ['PING', 'AUTH wrong', `AUTH ${PASSWORD}`, 'PING'])).toEqual([
      expect.stringMatching(/^-NOAUTH/),
      expect.stringMatching(/^-WRONGPASS/),
      '+OK',
      '+PONG',
    ]);
    const { stdout } = await run('ps', ['-ww', '-o', 'args=', '-p', String(server.pid)]);
    expect(stdout).not.toContain(PASSWORD);
    const settings = {
      save: '',
      appendonly: 'no',
      maxmemory: String(192 * 2 ** 20),
      'maxmemory-policy': 'volatile-ttl',
    };
    for (const [name, value] of Object.entries(settings)) {
      // A list of two texts has five lines: its length, and length and content of each.
      const lines = await redisAnswers(port, [`AUTH ${PASSWORD}`, `CONFIG GET ${name}`, '', '', '', '']);
      expect([name, lines[5]]).toEqual([name, value]);
    }
  });

  it('does not start without the secret', async () => {
    const outcome = await run('sh', [SCRIPT], { env: environment() });
    expect([outcome.code, outcome.stderr]).not.toEqual([0, '']);
  });
});

describe('the Valkey of k8s/base/limits', () => {
  it('answers over TLS alone, with its certificate, whoever has the password', async () => {
    const { cert, private: key } = await generate([{ name: 'commonName', value: 'valkey' }], {
      extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'valkey' }] }],
    });
    await writeFile(path.join(folder, 'tls.crt'), cert);
    await writeFile(path.join(folder, 'tls.key'), key);
    const documents = parseAllDocuments(await readFile(inRoot('k8s', 'base', 'limits', 'deployment.yaml'), 'utf8'));
    const deployment = documents.map((document) => document.toJS()).find(({ kind }) => kind === 'Deployment');
    const args = deployment.spec.template.spec.containers[0].args.map((/** @type {string} */ argument) =>
      argument
        .replace('$(VALKEY_PASSWORD)', PASSWORD)
        .replace('/etc/valkey/tls', folder)
        .replace(/^6379$/, String(port)),
    );
    server = spawn(await redisProgram(), [...args, '--bind', '127.0.0.1'], { cwd: folder, stdio: 'ignore' });
    expect(await redisAnswers(port, ['PING', `AUTH ${PASSWORD}`, 'PING'], cert)).toEqual([
      expect.stringMatching(/^-NOAUTH/),
      '+OK',
      '+PONG',
    ]);
    const outcome = await redisAnswers(port, ['PING']).catch(
      (/** @type {NodeJS.ErrnoException} */ error) => error.code,
    );
    expect([['-'], [''], 'ECONNRESET']).toContainEqual(outcome);
  });
});
