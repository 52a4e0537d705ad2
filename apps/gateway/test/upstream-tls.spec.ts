import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { ConfigurationError, type RunningService } from '@crm/runtime';
import { UpstreamConnector } from '@crm/runtime/proxy';
import { waitUntil } from '@crm/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Pool } from 'undici';
import { type CertificateAuthority, certificateAuthority } from '../../../scripts/servers/certificate-authority.mjs';
import { loadConfig } from '../src/config.js';
import { metricOf, Services, sendRaw, startGateway } from './harness.js';

let folder = '';
let authority: CertificateAuthority;
let stranger: CertificateAuthority;
let authorities = '';
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'crm-upstream-tls-'));
  authority = await certificateAuthority('Ours');
  stranger = await certificateAuthority('Of a stranger');
  authorities = await file('ca.crt', authority.ca);
});
afterAll(() => rm(folder, { recursive: true }));

/** @returns its path */
async function file(name: string, content: string): Promise<string> {
  const place = path.join(folder, name);
  await writeFile(place, content);
  return place;
}

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function servicesWith(certificate?: { cert: string; key: string }): Promise<Services> {
  const services = await Services.start(certificate);
  closing.push(() => services.close());
  return services;
}

async function gatewayTo(services: Services, environment?: Record<string, string>): Promise<RunningService> {
  const gateway = await startGateway(services, { UPSTREAM_CA_FILE: authorities, ...environment });
  closing.push(() => gateway.close());
  return gateway;
}

const leads = ({ url }: RunningService, init?: RequestInit) => fetch(`${url}/api/crm/leads`, init);

describe('a gateway that verifies its services', () => {
  let services: Services;
  let gateway: RunningService;
  beforeEach(async () => {
    services = await servicesWith(await authority.sign(['localhost']));
    gateway = await gatewayTo(services);
  });

  it('sends requests over TLS, one after the other with one handshake, and gets OpenAPI documents the same way', async () => {
    for (let call = 0; call < 20; call += 1) {
      const answer = await leads(gateway, { method: call % 2 ? 'POST' : 'GET' });
      expect([answer.status, await answer.json()]).toEqual([200, { service: 'custom-objects' }]);
    }
    expect(services.received).toHaveLength(20);
    expect(services.handshakes).toBe(1);
    services.answer = () => ({ body: JSON.stringify({ paths: { '/api/crm/leads': { get: {} } } }) });
    const document = (await (await fetch(`${gateway.url}/api/openapi.json`)).json()) as { paths: object };
    expect(Object.keys(document.paths)).toEqual(['/api/crm/leads']);
  });

  it('asks for the name that is configured, whatever host the client names', async () => {
    const request = 'GET /api/crm/leads HTTP/1.1\r\nHost: evil.test\r\nConnection: close\r\n\r\n';
    expect(await sendRaw(gateway.url, request)).toMatch(/^HTTP\/1\.1 200 /);
    expect(services.last.headers).toMatchObject({ 'x-forwarded-host': 'evil.test' });
    expect(services.last.headers.host).toMatch(/^localhost:/);
  });

  it('passes a redirect to plain HTTP on and does not follow it', async () => {
    const plain = await servicesWith();
    services.answer = () => ({ status: 307, headers: { location: `${plain.urls['custom-objects']}/api/crm/leads` } });
    expect((await leads(gateway, { redirect: 'manual' })).status).toBe(307);
    services.answer = () => ({ status: 307, headers: { location: plain.urls.identity }, body: '{"paths":{}}' });
    await fetch(`${gateway.url}/api/openapi.json`);
    expect(plain.received).toEqual([]);
  });
});

describe('a service that does not show who it is', () => {
  let warn: jest.SpiedFunction<Logger['warn']>;
  beforeEach(() => {
    warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  });
  afterEach(() => warn.mockRestore());

  /** @returns what the gateway logs for a call that it does not send; after five it tries no more for a while */
  async function refusalOf(services: Services, environment?: Record<string, string>): Promise<unknown> {
    const gateway = await gatewayTo(services, environment);
    for (let call = 0; call < 5; call += 1) {
      expect(await metricOf(gateway, 'gateway_upstream_open{upstream="custom-objects"')).toBe(0);
      const answer = await leads(gateway, { method: 'POST', headers: { authorization: 'Basic c2VjcmV0' } });
      expect([answer.status, await answer.json()]).toMatchObject([503, { code: 'SERVICE_UNAVAILABLE' }]);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect(await metricOf(gateway, 'gateway_upstream_open{upstream="custom-objects"')).toBe(1);
    expect(services.received).toEqual([]);
    const [line] = warn.mock.calls.map(([entry]) => entry as { err?: Error });
    return line?.err;
  }

  const UNKNOWN = 'UNABLE_TO_VERIFY_LEAF_SIGNATURE';
  const ours = () => authority.sign(['localhost']);
  const REFUSED = /^custom-objects is not called: its certificate is not accepted/;
  it.each([
    ['by its name', () => authority.sign(['identity']), {}, 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['by a known authority', () => stranger.sign(['localhost']), {}, UNKNOWN],
    ['by an authority of the system when no other is named', ours, { UPSTREAM_CA_FILE: '' }, UNKNOWN],
    ['any more, for it has expired', () => authority.sign(['localhost'], { days: -1 }), {}, 'CERT_HAS_EXPIRED'],
  ])('%s is not called, and the log says which and why', async (_, sign, environment, code) => {
    const refusal = await refusalOf(await servicesWith(await sign()), environment);
    expect(refusal).toMatchObject({ code, message: expect.stringMatching(REFUSED) });
    if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') expect(String(refusal)).toContain('localhost');
  });

  it('because it speaks plain HTTP is not called, and nothing is sent to it in the clear', async () => {
    const services = await servicesWith(await authority.sign(['localhost']));
    const plain = createServer();
    let heard = '';
    plain.on('connection', (socket) => socket.on('data', (chunk: Buffer) => (heard += chunk.toString('latin1'))));
    await once(plain.listen(0, '127.0.0.1'), 'listening');
    closing.push(async () => plain.close());
    const url = `https://localhost:${(plain.address() as AddressInfo).port}`;
    expect(await refusalOf(services, { CUSTOM_OBJECTS_URL: url })).toMatchObject({
      message: expect.stringMatching(/^custom-objects is not called: it does not speak TLS as we do/),
    });
    expect(heard).not.toBe('');
    expect(heard).not.toMatch(/POST|Basic|api\/crm/);
  });

  it('is left out of the OpenAPI document, and the log says why', async () => {
    const services = await servicesWith(await authority.sign(['identity']));
    const gateway = await gatewayTo(services);
    expect((await fetch(`${gateway.url}/api/openapi.json`)).status).toBe(200);
    expect(services.received).toEqual([]);
    const refused = warn.mock.calls.map(([entry]) => entry as { upstream?: string; err?: Error });
    expect(refused.map(({ upstream }) => upstream).sort()).toEqual(Object.keys(services.urls).sort());
    for (const { upstream, err } of refused) {
      expect(err?.message).toMatch(new RegExp(`^${upstream} is not called: its certificate is not accepted`));
    }
  });
});

describe('the authorities of the services', () => {
  it('are read again when their file changes, without a restart', async () => {
    const log = jest.spyOn(Logger.prototype, 'log').mockImplementation(() => undefined);
    const services = await servicesWith(await stranger.sign(['localhost']));
    const place = await file('changing.crt', authority.ca);
    const connector = new UpstreamConnector({ upstreams: services.urls, upstreamCa: { file: place, everyMs: 20 } });
    const pool = new Pool(services.urls.identity, { connect: connector.connect });
    closing.push(
      () => pool.close(),
      async () => connector.onApplicationShutdown(),
    );
    const call = () => pool.request({ path: '/', method: 'GET' });
    await expect(call()).rejects.toMatchObject({ code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' });
    await file('changing.crt', `${authority.ca}\n${stranger.ca}`);
    const isAccepted = () =>
      call()
        .then(({ body }) => body.dump().then(() => true))
        .catch(() => false);
    await waitUntil(isAccepted, { timeoutMs: 30_000, describe: 'the new authority is accepted' });
    expect(log).toHaveBeenCalledTimes(1);
    log.mockRestore();
  });

  it('are refused beside an address without encryption, which would be one that was forgotten', () => {
    const environment = { PROFILE: 'development', NATS_PASSWORD: 'p', UPSTREAM_CA_FILE: authorities };
    const names = ['IDENTITY', 'CUSTOM_OBJECTS', 'MARKETPLACE', 'AUTOMATIONS', 'WEBHOOKS'];
    const encrypted = Object.fromEntries(names.map((name) => [`${name}_URL`, 'https://localhost:4001']));
    expect(loadConfig({ ...environment, ...encrypted }).upstreamCa).toEqual({ file: authorities });
    for (const addresses of [{}, { ...encrypted, WEBHOOKS_URL: 'HTTP://localhost:4006' }]) {
      expect(() => loadConfig({ ...environment, ...addresses })).toThrow(
        new ConfigurationError(['UPSTREAM_CA_FILE is set, so every address of a service must begin with https://']),
      );
    }
  });
});
