import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import net from 'node:net';
import { text } from 'node:stream/consumers';
import tls from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { eventually } from '../demo/client.mjs';
import { accepts } from '../processes/readiness.mjs';
import { run } from '../processes/run.mjs';
import { inRoot } from '../root.mjs';
import { certificateAuthority } from '../servers/certificate-authority.mjs';
import { freePorts } from '../servers/free-port.mjs';
import { redisProgram } from '../servers/programs.mjs';
import { temporaryFolder } from '../testing/temporary-folder.mjs';

const PASSWORD = 'p4ssword';

const inFolder = temporaryFolder();
let port = 0;
/** @type {import('node:child_process').ChildProcess | undefined} */
let server;
beforeEach(async () => {
  [port] = /** @type {[number]} */ (await freePorts(1));
});
afterEach(async () => {
  server?.kill('SIGKILL');
  if (server) await once(server, 'exit');
  server = undefined;
});

/** What a Redis server answers to commands, once it has started: the first line of each answer.
 * @param {number} port on this machine @param {readonly string[]} commands
 * @param {string} [ca] PEM of the authority of its certificate; undefined for a connection without TLS */
async function redisAnswers(port, commands, ca) {
  await eventually(() => accepts(port), 'the start of a server');
  const target = { host: '127.0.0.1', port };
  const socket = ca ? tls.connect({ ...target, ca, servername: 'valkey' }) : net.connect(target);
  socket.write(`${[...commands, 'QUIT'].join('\r\n')}\r\n`);
  return (await text(socket)).split('\r\n').slice(0, commands.length);
}

describe('the Valkey of docker-compose.yml', () => {
  const SCRIPT = inRoot('deploy', 'valkey', 'start-with-secret.sh');
  const environment = () => ({ PATH: `${inFolder()}:${process.env.PATH}`, VALKEY_SECRET: inFolder('secret') });

  it('wants the password of the secret, which is not among its arguments, and keeps nothing on disk', async () => {
    await writeFile(inFolder('secret'), PASSWORD);
    // Under the name that it has in the image.
    const { stdout: program } = await run('sh', ['-c', 'command -v "$0"', await redisProgram()]);
    await symlink(program.trim(), inFolder('valkey-server'));
    const args = [SCRIPT, '--port', String(port), '--bind', '127.0.0.1'];
    server = spawn('sh', args, { env: environment(), cwd: inFolder(), stdio: 'ignore' });
    expect(await redisAnswers(port, ['PING', 'AUTH wrong', `AUTH ${PASSWORD}`, 'PING'])).toEqual([
      expect.stringMatching(/^-NOAUTH/),
      expect.stringMatching(/^-WRONGPASS/),
      '+OK',
      '+PONG',
    ]);
    const { stdout } = await run('ps', ['-ww', '-o', 'args=', '-p', String(server.pid)]);
    expect(stdout).not.toContain(PASSWORD);
    const maxmemory = String(192 * 2 ** 20);
    const settings = { save: '', appendonly: 'no', maxmemory, 'maxmemory-policy': 'volatile-ttl' };
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
  it('answers over TLS alone, with its certificate, no matter who has the password', async () => {
    const { ca, sign } = await certificateAuthority();
    const { cert, key } = await sign(['valkey']);
    await writeFile(inFolder('tls.crt'), cert);
    await writeFile(inFolder('tls.key'), key);
    const documents = parseAllDocuments(await readFile(inRoot('k8s', 'base', 'limits', 'deployment.yaml'), 'utf8'));
    const deployment = documents.map((document) => document.toJS()).find(({ kind }) => kind === 'Deployment');
    const args = deployment.spec.template.spec.containers[0].args.map((/** @type {string} */ argument) =>
      argument
        .replace('$(VALKEY_PASSWORD)', PASSWORD)
        .replace('/etc/valkey/tls', inFolder())
        .replace(/^6379$/, String(port)),
    );
    server = spawn(await redisProgram(), [...args, '--bind', '127.0.0.1'], { cwd: inFolder(), stdio: 'ignore' });
    expect(await redisAnswers(port, ['PING', `AUTH ${PASSWORD}`, 'PING'], ca)).toEqual([
      expect.stringMatching(/^-NOAUTH/),
      '+OK',
      '+PONG',
    ]);
    const outcome = await redisAnswers(port, ['PING']).catch(({ code }) => code);
    expect([['-'], [''], 'ECONNRESET']).toContainEqual(outcome);
  });
});
