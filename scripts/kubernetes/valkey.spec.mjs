import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { generate } from 'selfsigned';
import { freePorts } from '../servers/free-port.mjs';
import { redisProgram } from '../servers/programs.mjs';
import { redisAnswers } from '../testing/redis-answers.mjs';
import { find, podOf } from './manifests.mjs';
import { renderOverlay } from './render.mjs';

/** @typedef {import('./render.mjs').Manifest} Manifest */

describe('the Valkey of k8s/base/limits', () => {
  let folder = '';
  let port = 0;
  /** @type {import('node:child_process').ChildProcess} */
  let server;
  let certificate = '';

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'crm-valkey-'));
    const pems = await generate([{ name: 'commonName', value: 'valkey' }], {
      extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'valkey' }] }],
    });
    certificate = pems.cert;
    await writeFile(path.join(folder, 'tls.crt'), pems.cert);
    await writeFile(path.join(folder, 'tls.key'), pems.private);
    [port] = /** @type {[number]} */ (await freePorts(1));
    const manifests = await renderOverlay('production');
    const [{ args }] = podOf(/** @type {Manifest} */ (find(manifests, 'Deployment', 'valkey'))).spec.containers;
    const own = args.map((/** @type {string} */ argument) =>
      argument
        .replace('$(VALKEY_PASSWORD)', 'p4ssword')
        .replace('/etc/valkey/tls', folder)
        .replace(/^6379$/, String(port)),
    );
    server = spawn(await redisProgram(), [...own, '--bind', '127.0.0.1'], { cwd: folder, stdio: 'ignore' });
  });
  afterAll(async () => {
    server.kill('SIGKILL');
    await once(server, 'exit');
    await rm(folder, { recursive: true });
  });

  it('answers over TLS, with its certificate, whoever has the password', async () => {
    expect(await redisAnswers(port, ['PING', 'AUTH p4ssword', 'PING'], certificate)).toEqual([
      expect.stringMatching(/^-NOAUTH/),
      '+OK',
      '+PONG',
    ]);
  });

  it('does not answer without TLS', async () => {
    const outcome = await redisAnswers(port, ['PING']).catch(
      (/** @type {NodeJS.ErrnoException} */ error) => error.code,
    );
    expect([['-'], [''], 'ECONNRESET']).toContainEqual(outcome);
  });
});
