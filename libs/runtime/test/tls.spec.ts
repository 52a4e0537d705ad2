import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import http from 'node:http';
import https, { type RequestOptions } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import tls, { type TLSSocket } from 'node:tls';
import { Public } from '@crm/access';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Controller, Get, Logger } from '@nestjs/common';
import {
  type CertificateAuthority,
  certificateAuthority,
  type Signed,
} from '../../../scripts/servers/certificate-authority.mjs';
import type { RunningService } from '../src/index.js';
import { startWith } from './harness.js';

const NAME = 'custom-objects';
const EVERY_MS = 20;

/** Called when a slow request is being worked on; it is answered when the promise is kept. */
let working: (() => void) | undefined;
let finish: (() => void) | undefined;

@Controller('api/things')
class ThingController {
  @Get()
  @Public()
  list(): object {
    return { data: [] };
  }

  @Get('slow')
  @Public()
  async slow(): Promise<object> {
    await new Promise<void>((resolve) => {
      finish = resolve;
      working?.();
    });
    return { done: true };
  }
}

/** A folder as Kubernetes mounts a secret: what the files are is said by a link, which is exchanged as a whole. */
async function mountSecret(content: Signed) {
  const folder = await mkdtemp(path.join(tmpdir(), 'crm-tls-'));
  const [certificateFile, keyFile] = [path.join(folder, 'tls.crt'), path.join(folder, 'tls.key')];
  const replace = async ({ cert, key }: Signed) => {
    const next = await mkdtemp(`${folder}/..`);
    await writeFile(path.join(next, 'tls.crt'), cert);
    await writeFile(path.join(next, 'tls.key'), key);
    await symlink(path.basename(next), path.join(folder, '..next'));
    await rename(path.join(folder, '..next'), path.join(folder, '..data'));
  };
  await replace(content);
  for (const file of [certificateFile, keyFile]) await symlink(`..data/${path.basename(file)}`, file);
  return { certificateFile, keyFile, replace, remove: () => rm(folder, { recursive: true }) };
}

let authority: CertificateAuthority;
let secret: Awaited<ReturnType<typeof mountSecret>>;
let first: Signed;
let service: RunningService;

const defaults = { version: tls.DEFAULT_MIN_VERSION, ciphers: tls.DEFAULT_CIPHERS };
beforeAll(async () => {
  authority = await certificateAuthority();
  // A process whose Node was told to speak anything: the service does not depend on it. OpenSSL 3 speaks TLS 1.1 at this level only.
  tls.DEFAULT_MIN_VERSION = 'TLSv1';
  tls.DEFAULT_CIPHERS = 'ALL:@SECLEVEL=0';
});
afterAll(() => {
  tls.DEFAULT_MIN_VERSION = defaults.version;
  tls.DEFAULT_CIPHERS = defaults.ciphers;
});
beforeEach(async () => {
  first = await authority.sign([NAME]);
  secret = await mountSecret(first);
  const { certificateFile, keyFile } = secret;
  service = await startWith({
    controllers: [ThingController],
    config: { tls: { certificateFile, keyFile } },
    certificateEveryMs: EVERY_MS,
  });
});
afterEach(async () => {
  finish?.();
  await service.close();
  await secret.remove();
});

/** @returns what came back, and the certificate and version of TLS with which it came */
async function get(address = '/api/things', options: RequestOptions = {}) {
  const request = https.get(service.url + address, { ca: authority.ca, servername: NAME, agent: false, ...options });
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  const socket = response.socket as TLSSocket;
  const seen = { protocol: socket.getProtocol(), serial: socket.getPeerX509Certificate()?.serialNumber, socket };
  response.setEncoding('utf8');
  let body = '';
  for await (const chunk of response) body += chunk;
  return { ...seen, status: response.statusCode, body };
}

const serialOf = ({ cert }: Signed): string => new X509Certificate(cert).serialNumber;

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error('It has not come to that');
    await delay(EVERY_MS);
  }
}

/** Asks on new connections until the service shows this certificate. */
const seesSoon = (certificate: Signed): Promise<void> =>
  until(async () => (await get()).serial === serialOf(certificate));

/** TLS 1.1, and a suite without authenticated encryption, are refused. */
async function expectStrongTlsOnly(): Promise<void> {
  const old = get('/api/things', { maxVersion: 'TLSv1.1' });
  await expect(old).rejects.toThrow(/alert protocol version/);
  const weak = get('/api/things', { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA256' });
  await expect(weak).rejects.toThrow(/alert handshake failure/);
}

describe('a service with a certificate', () => {
  it('speaks HTTPS on its port, with TLS 1.2 and 1.3', async () => {
    expect(service.url).toMatch(/^https:/);
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
      const answer = await get('/api/things', { minVersion: version, maxVersion: version });
      expect([answer.status, answer.protocol, answer.serial]).toEqual([200, version, serialOf(first)]);
    }
  });

  it('answers nothing without TLS, and nobody who speaks less', async () => {
    const { port } = new URL(service.url);
    const plain = http.get(`http://127.0.0.1:${port}/api/things`, { agent: false });
    const outcome = await new Promise((resolve) => {
      plain.on('response', ({ statusCode }) => resolve(`answered with ${statusCode}`));
      plain.on('error', () => resolve('no answer'));
    });
    expect(outcome).toBe('no answer');
    await expectStrongTlsOnly();
  });

  it('leaves health and metrics on the operations port as they are, and says there when the certificate expires', async () => {
    expect(service.operationsUrl).toMatch(/^http:/);
    const metrics = await (await fetch(`${service.operationsUrl}/metrics`)).text();
    const [, seconds] = /^tls_certificate_expires_at_seconds\{[^}]*\} (.+)$/m.exec(metrics) ?? [];
    expect(Number(seconds) * 1000).toBe(Date.parse(new X509Certificate(first.cert).validTo));
  });

  it('shows a renewed one to new connections, while those that are open and their requests go on', async () => {
    const agent = new https.Agent({ keepAlive: true, maxSockets: 1 });
    const kept = await get('/api/things', { agent });
    const inside = new Promise<void>((resolve) => {
      working = resolve;
    });
    const slow = get('/api/things/slow');
    await inside;

    const second = await authority.sign([NAME]);
    await secret.replace(second);
    await seesSoon(second);

    finish?.();
    expect(await slow).toMatchObject({ status: 200, body: '{"done":true}', serial: serialOf(first) });
    const again = await get('/api/things', { agent });
    expect(again.socket).toBe(kept.socket);
    expect(again.status).toBe(200);
    agent.destroy();
    // The versions and suites are those from before.
    await expectStrongTlsOnly();
  });

  it('drops no request of a client that opens a connection for each, while one is renewed again and again', async () => {
    let renewing = true;
    const calling = (async () => {
      while (renewing) {
        expect((await get()).status).toBe(200);
      }
    })();
    for (let renewal = 0; renewal < 3; renewal += 1) {
      const next = await authority.sign([NAME]);
      await secret.replace(next);
      await seesSoon(next);
    }
    renewing = false;
    await calling;
  });

  it('keeps the one it has while the files cannot be used, and takes the next that can', async () => {
    const second = await authority.sign([NAME]);
    const third = await authority.sign([NAME]);
    const error = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    const reported = () => error.mock.calls.map(([entry]) => (entry as { err: Error }).err.message);
    await secret.replace({ cert: second.cert, key: first.key });
    await until(() => reported().length > 0);
    expect((await get()).serial).toBe(serialOf(first));
    await secret.replace({ cert: 'nothing', key: first.key });
    await until(() => reported().length > 1);
    expect((await get()).serial).toBe(serialOf(first));
    // Once each, however often it looks.
    await delay(5 * EVERY_MS);
    expect(reported()).toEqual([
      expect.stringMatching(/tls\.key is not the key of the certificate in/),
      expect.stringMatching(/tls\.crt is no certificate in PEM/),
    ]);
    error.mockRestore();
    await secret.replace(third);
    await seesSoon(third);
  });
});

it('does not start with a certificate that is gone since the configuration was read', async () => {
  const { keyFile } = secret;
  const missing = path.join(path.dirname(keyFile), 'missing.crt');
  const started = startWith({ config: { tls: { certificateFile: missing, keyFile } } });
  await expect(started).rejects.toThrow(`TLS_CERT_FILE: ${missing} cannot be read (file not found)`);
});
