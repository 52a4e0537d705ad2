import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type TLSSocket, connect as tlsConnect } from 'node:tls';
import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { OutsideClient } from '../src/index.js';
import { clientOf, closeAll, closeLater, failure, get, NAME } from './calls.js';
import {
  answerTogether,
  type Certificate,
  httpsReceiver,
  makeCertificate,
  type Receiver,
  tlsReceiver,
} from './receiver.js';

/** `npm run test:deep` opens as many as a dispatcher may have open. */
const HANGING = process.env.DEEP === '1' ? 5_000 : 100;

let certificate: Certificate;

beforeAll(async () => {
  certificate = await makeCertificate([NAME, `other.${NAME}`]);
});

afterEach(closeAll);

/** An https server for the test. */
const serving = async (handler: Parameters<typeof httpsReceiver>[1], options?: Parameters<typeof httpsReceiver>[2]) =>
  closeLater(await httpsReceiver(certificate, handler, options));

/** A server that answers each request with this text. */
const writing = async (answer: string) =>
  closeLater(await tlsReceiver(certificate, (socket) => socket.on('data', () => socket.write(answer))));

const ok = (_request: IncomingMessage, response: ServerResponse) => response.end('ok');

/** Waits until something is so; the time limit of the test ends the wait. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await delay(5);
}

describe('TLS sessions', () => {
  const ticketKeys = randomBytes(48);
  /** Answers whether the connection of the request resumed a session. */
  const tellResumed = (request: IncomingMessage, response: ServerResponse) =>
    response.end(String((request.socket as TLSSocket).isSessionReused()));

  /** Calls on a new socket: with a lifetime of 0 no socket is used again. */
  async function isResumed(client: OutsideClient, receiver: Receiver, name = NAME): Promise<string> {
    const answer = await client.request({ method: 'GET', url: `https://${name}:${receiver.port}/` });
    return answer.body.toString();
  }

  it.each(['TLSv1.2', 'TLSv1.3'] as const)('are resumed for the same origin with %s', async (maxVersion) => {
    const receiver = await serving(tellResumed, { maxVersion });
    const client = clientOf([receiver], certificate, { originLifetimeMs: 0 });
    for (const resumed of ['false', 'true', 'true']) expect(await isResumed(client, receiver)).toBe(resumed);
    expect(receiver.connections()).toBe(3);
  });

  it('are not resumed for another port, another name or by another client, although the receiver would', async () => {
    const [first, second] = [await serving(tellResumed, { ticketKeys }), await serving(tellResumed, { ticketKeys })];
    const allow = [first, second].flatMap(({ port }) => [NAME, `other.${NAME}`].map((host) => ({ host, port })));
    const client = clientOf([], certificate, { originLifetimeMs: 0, allow });
    await isResumed(client, first);
    expect(await isResumed(client, first)).toBe('true');
    expect(await isResumed(client, second)).toBe('false');
    expect(await isResumed(client, first, `other.${NAME}`)).toBe('false');
    expect(await isResumed(clientOf([first], certificate, { originLifetimeMs: 0 }), first)).toBe('false');
  });

  it('are not resumed at another address of the same name', async () => {
    const first = await serving(tellResumed, { ticketKeys });
    const place = { port: first.port, address: '127.0.0.2' };
    const second = await serving(tellResumed, { ticketKeys, place });
    let address = '127.0.0.1';
    const client = clientOf([first], certificate, { originLifetimeMs: 0, resolver: async () => [address] });
    await isResumed(client, first);
    expect(await isResumed(client, first)).toBe('true');
    address = '127.0.0.2';
    expect(await isResumed(client, first)).toBe('false');
    expect(second.connections()).toBe(1);
    expect(await isResumed(client, first)).toBe('true');
  });

  it('do not replace the check of the peer address', async () => {
    const answer = jest.fn(ok);
    const first = await serving(answer, { ticketKeys });
    const place = { port: first.port, address: '127.0.0.2' };
    await serving(answer, { ticketKeys, place });
    const offered: boolean[] = [];
    const client = clientOf([first], certificate, {
      originLifetimeMs: 0,
      dial: (options) => {
        offered.push(options.session !== undefined);
        return tlsConnect({ ...options, host: offered.length > 1 ? '127.0.0.2' : '127.0.0.1' });
      },
    });
    await get(client, first);
    expect(await failure(get(client, first))).toMatchObject({ code: 'blocked', phase: 'tls' });
    expect(offered).toEqual([false, true]);
    expect(answer).toHaveBeenCalledTimes(1);
  });

  it('do not hide that the certificate is no longer valid for the host', async () => {
    const wrong = await makeCertificate(['elsewhere.test'], { ips: [] });
    const server = createServer(certificate, ok);
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    closeLater({ close: () => new Promise<void>((resolve) => server.close(() => resolve())) });
    const { port } = server.address() as AddressInfo;
    const receiver = { port } as Receiver;
    const client = clientOf([receiver], certificate, { originLifetimeMs: 0, ca: `${certificate.cert}\n${wrong.cert}` });
    expect(await get(client, receiver)).toMatchObject({ status: 200 });
    server.setSecureContext(wrong);
    const message = expect.stringContaining('ERR_TLS_CERT_ALTNAME_INVALID');
    expect(await failure(get(client, receiver))).toMatchObject({ code: 'tls', message });
  });
});

describe('the rest of a truncated body', () => {
  const excerpt = { maxResponseBytes: 10, truncate: true };

  it.each([
    ['announced', { 'content-length': '20000' }],
    ['chunked', {}],
  ])('is drained when it is short, and the socket is used again (%s)', async (_what, headers) => {
    const receiver = await serving((_request, response) => {
      response.writeHead(200, headers).write('a'.repeat(10_000));
      response.end('b'.repeat(10_000));
    });
    const client = clientOf([receiver], certificate);
    for (let call = 0; call < 3; call++) {
      const answer = await get(client, receiver, excerpt);
      expect(answer).toMatchObject({ status: 200, truncated: true });
      expect(answer.body.toString()).toBe('a'.repeat(10));
    }
    expect(receiver.connections()).toBe(1);
    expect(client.idleSockets).toBe(1);
  });

  it.each([
    ['longer than 64 KiB', (response: ServerResponse) => response.end('a'.repeat(10 + 64 * 1024 + 1))],
    ['slower than its time limit', (response: ServerResponse) => response.write('a'.repeat(11))],
    ['broken off', (response: ServerResponse) => response.write('a'.repeat(11), () => response.socket?.destroy())],
  ])('is cut when it is %s, and the answer counts', async (_what, write) => {
    const receiver = await serving((_request, response) => write(response));
    const client = clientOf([receiver], certificate);
    const answer = await get(client, receiver, { ...excerpt, timeouts: { bodyMs: 100 } });
    expect(answer).toMatchObject({ status: 200, truncated: true });
    expect(answer.body.toString()).toBe('a'.repeat(10));
    expect(client.idleSockets).toBe(0);
    await until(() => receiver.open() === 0);
  });

  it('is not drained at all when it announces too much', async () => {
    const receiver = await writing(`HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n${'a'.repeat(11)}`);
    const answer = await get(clientOf([receiver], certificate), receiver, excerpt);
    expect(answer).toMatchObject({ status: 200, truncated: true });
    // While a rest is drained, the latency is that of the excerpt; a socket that is cut at once is closed with the answer.
    await until(() => receiver.open() === 0);
  });
});

describe('idle sockets', () => {
  it('are kept as long as the receiver says, otherwise for the short time', async () => {
    const patient = await serving(ok, { keepAliveTimeout: 60_000 });
    const silent = await writing('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
    const client = clientOf([patient, silent], certificate, { keepAliveMs: 20 });
    await get(client, patient);
    await get(client, silent);
    await until(() => silent.open() === 0);
    expect(client.idleSockets).toBe(1);
    await get(client, patient);
    expect(patient.connections()).toBe(1);
  });

  it('are not kept longer than the client wants, nor until the receiver closes them', async () => {
    const patient = await serving(ok, { keepAliveTimeout: 600_000 });
    const client = clientOf([patient], certificate, { keepAliveMaxMs: 20 });
    await get(client, patient);
    await until(() => patient.open() === 0 && client.idleSockets === 0);
    const hasty = await serving(ok, { keepAliveTimeout: 1_000 });
    const other = clientOf([hasty], certificate);
    await get(other, hasty);
    expect(other.idleSockets).toBe(0);
  });

  it('serve a burst of calls to one origin and the next burst', async () => {
    const receiver = await serving(answerTogether(64), { keepAliveTimeout: 600_000 });
    const client = clientOf([receiver], certificate);
    const burst = () => Promise.all(Array.from({ length: 64 }, () => get(client, receiver)));
    await burst();
    await burst();
    expect(receiver.connections()).toBe(64);
    expect(client.idleSockets).toBe(64);
  });

  it('are closed with the client, and those in use as soon as their call ends', async () => {
    const waiting: ServerResponse[] = [];
    const receiver = await serving((request, response) => {
      if (request.url === '/wait') waiting.push(response);
      else response.end('ok');
    });
    const client = clientOf([receiver], certificate);
    await Promise.all(Array.from({ length: 20 }, () => get(client, receiver)));
    const url = `https://${NAME}:${receiver.port}/wait`;
    const calls = Array.from({ length: 5 }, () => client.request({ method: 'GET', url }));
    await until(() => waiting.length === 5);
    await client.close();
    await until(() => receiver.open() === 5);
    for (const response of waiting) response.end('late');
    for (const answer of await Promise.all(calls)) expect(answer.body.toString()).toBe('late');
    await until(() => receiver.open() === 0);
    expect(client.idleSockets).toBe(0);
  });
});

describe('many calls', () => {
  it(
    `${HANGING} hanging calls delay no other`,
    async () => {
      let hanging = 0;
      const silent = await serving(() => {
        hanging += 1;
      });
      const quick = await serving(ok);
      const client = clientOf([silent, quick], certificate);
      const ended = jest.fn();
      const calls = Array.from({ length: HANGING }, () => failure(get(client, silent)).finally(ended));
      await until(() => hanging === HANGING);
      const answers = await Promise.all(Array.from({ length: 100 }, () => get(client, quick)));
      expect(answers.map(({ status }) => status)).toEqual(Array(100).fill(200));
      expect(ended).not.toHaveBeenCalled();
      await silent.close();
      const codes = (await Promise.all(calls)).map(({ code, phase }) => `${code} ${phase}`);
      expect(new Set(codes)).toEqual(new Set(['reset headers']));
      await until(() => silent.open() === 0);
    },
    process.env.DEEP === '1' ? 600_000 : 120_000,
  );

  it('share one lookup while they open sockets to one origin', async () => {
    const receiver = await serving(answerTogether(20));
    const resolver = jest.fn(async () => ['127.0.0.1']);
    const client = clientOf([receiver], certificate, { resolver });
    await Promise.all(Array.from({ length: 20 }, () => get(client, receiver)));
    expect(receiver.connections()).toBe(20);
    expect(resolver).toHaveBeenCalledTimes(1);
  });
});

it('a failed call says in which phase it failed and how long it took', async () => {
  const hanging = await serving(() => undefined);
  const dripping = await serving((_request, response) => {
    response.writeHead(200).write('x');
  });
  const client = clientOf([hanging, dripping], certificate, { timeouts: { totalMs: 200 } });
  const late = await failure(get(client, hanging));
  expect(late).toMatchObject({ code: 'timeout_total', phase: 'headers' });
  expect(late.latencyMs).toBeGreaterThan(0);
  expect(await failure(get(client, dripping))).toMatchObject({ code: 'timeout_total', phase: 'body' });
  expect(await failure(get(client, hanging, { url: 'http://example.com/' }))).toMatchObject({ phase: 'policy' });
  const resolver = () => new Promise<never>(() => undefined);
  const lost = clientOf([hanging], certificate, { timeouts: { connectMs: 50 }, resolver });
  expect(await failure(get(lost, hanging))).toMatchObject({ code: 'timeout_connect', phase: 'dns' });
});
