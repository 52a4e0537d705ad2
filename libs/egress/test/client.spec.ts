import type { ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { type ConnectionOptions, type TLSSocket, connect as tlsConnect } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type EgressErrorCode, type EgressOptions, type EgressRequest, OutsideClient } from '../src/index.js';
import { clientOf, closeAll, closeLater, failure, get, NAME } from './calls.js';
import {
  type Certificate,
  httpReceiver,
  httpsReceiver,
  makeCertificate,
  type Receiver,
  tcpReceiver,
  tlsReceiver,
} from './receiver.js';

let certificate: Certificate;

beforeAll(async () => {
  certificate = await makeCertificate([NAME]);
});

afterEach(closeAll);

const clientFor = (receiver: Receiver, options?: EgressOptions): OutsideClient =>
  clientOf([receiver], certificate, options);

type Handler = Parameters<typeof httpsReceiver>[1];

const ok: Handler = (_request, response) => response.end('ok');
const silent: Handler = () => undefined;

/** A receiver that answers with this handler. */
const answering = async (handler: Handler, own = certificate): Promise<Receiver> =>
  closeLater(await httpsReceiver(own, handler));

const answeringGzip = (body: Buffer) =>
  answering((_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(body));

/** A receiver that sends whatever the handler writes. */
const sending = async (handler: (socket: TLSSocket) => void): Promise<Receiver> =>
  closeLater(await tlsReceiver(certificate, handler));

/** Writes until the connection is closed, every so many milliseconds. */
function repeat(write: () => void, connection: NodeJS.EventEmitter, everyMs = 10): void {
  const timer = setInterval(write, everyMs);
  connection.on('close', () => clearInterval(timer));
}

/** A receiver that sends half of the body that it announces, and closes the connection. */
const breaking = (close: 'end' | 'destroy') =>
  sending((socket) => {
    const half = 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf';
    socket.once('data', () => socket.write(half, () => socket[close]()));
  });

/** Sends zeros until the client closes the connection, which is what the tests are about. */
function flood(response: ServerResponse, onChunk: (bytes: number) => void = () => undefined): void {
  const zeros = new Readable({
    read() {
      onChunk(64 * 1024);
      this.push(Buffer.alloc(64 * 1024));
    },
  });
  pipeline(zeros, response, () => zeros.destroy());
}

describe('request', () => {
  it('sends method, path, headers and body, and returns status, headers, body, latency and peer', async () => {
    const seen: object[] = [];
    const receiver = await answering(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { method, url, headers } = request;
      seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
      response.writeHead(201, { 'x-answer': 'yes' }).end('{"a":"ü"}');
    });
    const connection = { Host: 'evil.test', 'Accept-Encoding': 'gzip', Connection: 'upgrade' };
    const headers = { 'Content-Type': 'application/json', ...connection };
    const answer = await get(clientFor(receiver), receiver, { method: 'POST', headers, body: '{"b":"ö"}' });
    expect(answer).toMatchObject({ status: 201, truncated: false, remoteAddress: '127.0.0.1' });
    expect(answer.headers['x-answer']).toBe('yes');
    expect(answer.body.toString()).toBe('{"a":"ü"}');
    expect(answer.latencyMs).toBeGreaterThan(0);
    const sent = {
      host: `${NAME}:${receiver.port}`,
      connection: 'keep-alive',
      'user-agent': 'crm-platform/1',
      'content-type': 'application/json',
      'accept-encoding': 'identity',
      'content-length': '10',
    };
    expect(seen).toEqual([{ method: 'POST', url: '/hook?x=1', body: '{"b":"ö"}', headers: sent }]);
  });

  it('does not follow a redirect to a metadata address', async () => {
    const location = 'http://169.254.169.254/latest/meta-data/';
    const receiver = await answering((_request, response) => response.writeHead(302, { location }).end());
    expect(await get(clientFor(receiver), receiver)).toMatchObject({ status: 302, headers: { location } });
    expect(receiver.connections()).toBe(1);
  });

  it('does not decompress a response', async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000));
    const receiver = await answeringGzip(bomb);
    expect((await get(clientFor(receiver), receiver)).body.equals(bomb)).toBe(true);
  });

  it('sends the host name in SNI without its trailing dot', async () => {
    const names: (string | false)[] = [];
    const receiver = await sending((socket) => {
      names.push(socket.servername ?? false);
      socket.end('HTTP/1.1 204 No Content\r\n\r\n');
    });
    const client = clientFor(receiver);
    for (const host of [`${NAME}.`, '127.0.0.1']) {
      const answer = await get(client, receiver, { url: `https://${host}:${receiver.port}/` });
      expect(answer).toMatchObject({ status: 204, body: Buffer.alloc(0) });
    }
    expect(names).toEqual([NAME, false]);
  });

  it('rejects an unsupported method and headers that would split the request', async () => {
    const receiver = await answering(ok);
    const client = clientFor(receiver);
    await expect(get(client, receiver, { method: 'CONNECT' as 'GET' })).rejects.toThrow(TypeError);
    expect((await failure(get(client, receiver, { headers: { 'x-a': 'b\r\nx-c: d' } }))).code).toBe('http_protocol');
    expect(receiver.connections()).toBe(0);
  });
});

describe('policy', () => {
  it.each([
    ...['http://example.com/', 'https://127.0.0.1/', 'https://2130706433/', 'https://[::ffff:127.0.0.1]/'],
    ...['https://169.254.169.254/', 'https://localhost/', 'https://example.com:8443/', 'https://u:p@example.com/'],
    'not a url',
  ])('refuses %s before any lookup', async (url) => {
    const client = new OutsideClient({ resolver: () => Promise.reject(new Error('must not be called')) });
    expect((await failure(client.request({ method: 'GET', url }))).code).toBe('blocked');
  });

  it.each([
    ['a private address', ['10.0.0.1']],
    ['a public and a private address', ['93.184.215.14', '10.0.0.1']],
    ['a public and a mapped private address', ['2606:4700::1111', '::ffff:10.0.0.1']],
    ['something that is not an address', ['93.184.215.14', 'example.com']],
  ])('refuses a DNS answer with %s and does not reveal the address', async (_what, answer) => {
    const dial = jest.fn((options: ConnectionOptions) => tlsConnect(options));
    const client = new OutsideClient({ resolver: async () => answer, dial });
    const error = await failure(client.request({ method: 'GET', url: 'https://example.com/' }));
    expect(error.code).toBe('blocked');
    expect(error.message).not.toMatch(/10\.0\.0\.1/);
    expect(dial).not.toHaveBeenCalled();
  });

  it('connects to the checked address even when the name resolves differently later', async () => {
    const receiver = await answering(ok);
    const answers = [['93.184.215.14'], ['127.0.0.1']];
    const hosts: (string | undefined)[] = [];
    const client = new OutsideClient({
      resolver: async () => answers.shift() ?? [],
      timeouts: { connectMs: 200 },
      dial: (options) => {
        hosts.push(options.host);
        return tlsConnect({ ...options, host: '127.0.0.1', port: receiver.port });
      },
    });
    // The dialled socket leads to loopback: the peer address is checked before the socket is used.
    const error = await failure(client.request({ method: 'GET', url: 'https://example.com/' }));
    expect(error).toMatchObject({ code: 'blocked', message: expect.stringContaining('checked') });
    expect(hosts).toEqual(['93.184.215.14']);
    expect((await failure(client.request({ method: 'GET', url: 'https://example.com/' }))).code).toBe('blocked');
    expect(hosts).toHaveLength(1);
  });

  it('looks up the name again when a socket is too old, and checks the new answer', async () => {
    const receiver = await answering(ok);
    let lookups = 0;
    const resolver = async () => (++lookups < 3 ? ['127.0.0.1'] : []);
    const client = clientFor(receiver, { originLifetimeMs: 0, resolver });
    await get(client, receiver);
    await get(client, receiver);
    expect(receiver.connections()).toBe(2);
    expect((await failure(get(client, receiver))).code).toBe('dns');
  });

  it('checks a URL with the exceptions and cluster suffixes of the client', async () => {
    const allow = [{ host: '127.0.0.1', port: 9443 }];
    const client = new OutsideClient({ allow, clusterSuffixes: ['svc.acme.net'] });
    expect(client.checkUrl('https://127.0.0.1:9443/')).toMatchObject({ ok: true });
    expect(client.checkUrl('https://127.0.0.1:9444/')).toMatchObject({ ok: false });
    expect(client.checkUrl('https://crm.svc.acme.net/')).toMatchObject({ code: 'refused_hostname' });
  });
});

describe('connections', () => {
  it('reuses a socket within its lifetime and opens one per concurrent request', async () => {
    let together = 1;
    const waiting: ServerResponse[] = [];
    const receiver = await answering((_request, response) => {
      waiting.push(response);
      if (waiting.length === together) for (const one of waiting.splice(0)) one.end('ok');
    });
    const client = clientFor(receiver, { maxIdlePerOrigin: 2 });
    for (let i = 0; i < 5; i++) await get(client, receiver);
    expect(receiver.connections()).toBe(1);
    together = 4;
    await Promise.all(Array.from({ length: 4 }, () => get(client, receiver)));
    expect(receiver.connections()).toBe(4);
    expect(client.idleSockets).toBe(2);
  });

  it('does not reuse a socket that the peer closed', async () => {
    const closing = { connection: 'close' };
    const receiver = await answering((_request, response) => response.writeHead(200, closing).end('ok'));
    const client = clientFor(receiver);
    await get(client, receiver);
    await get(client, receiver);
    expect(receiver.connections()).toBe(2);
  });
});

describe('errors', () => {
  it('fails with "connect" when nothing listens on the port', async () => {
    const receiver = await httpsReceiver(certificate, ok);
    const client = clientFor(receiver);
    await receiver.close();
    const message = expect.stringContaining('ECONNREFUSED');
    expect(await failure(get(client, receiver))).toMatchObject({ code: 'connect', message });
  });

  it.each([
    ['is for another name', 'other.test', { ips: [] }, 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['has expired', NAME, { expired: true }, 'CERT_HAS_EXPIRED'],
  ])('fails with "tls" when the certificate %s, by name and by address', async (_what, name, options, code) => {
    const own = await makeCertificate([name], options);
    const receiver = await answering(ok, own);
    const client = clientFor(receiver, { ca: own.cert });
    for (const host of [NAME, '127.0.0.1']) {
      const error = await failure(get(client, receiver, { url: `https://${host}:${receiver.port}/` }));
      expect(error).toMatchObject({ code: 'tls', message: expect.stringContaining(code) });
    }
  });

  const CONNECT = { timeouts: { connectMs: 100 } };
  const HEADERS = { timeouts: { headersMs: 150 } };
  const EARLY_HINTS = 'HTTP/1.1 103 Early Hints\r\n\r\n';
  const LONG_HEADER = `x-${'a'.repeat(4096)}: ${'b'.repeat(4096)}\r\n`;
  const dripping: Handler = (_request, response) => repeat(() => response.write('.'), response.writeHead(200));
  const announcing: Handler = (_request, response) =>
    response.writeHead(200, { 'content-length': 10_000_000_000 }).write('x');
  const endless: Handler = (_request, response) => flood(response);
  const TWO_FRAMINGS = 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n';
  /** A receiver that writes the beginning, and then again and again the rest. */
  const writing = (beginning: string, rest?: () => string, everyMs?: number) =>
    sending((socket) => {
      socket.write(beginning);
      if (rest) repeat(() => socket.write(rest()), socket, everyMs);
    });
  const failures: [EgressErrorCode, string, () => Promise<Receiver>, Partial<EgressRequest>?][] = [
    ['tls', 'has a certificate of an unknown authority', async () => answering(ok, await makeCertificate([NAME]))],
    ['tls', 'speaks plain http', httpReceiver],
    ['timeout_connect', 'never ends the handshake', () => tcpReceiver((socket) => socket.resume()), CONNECT],
    ['timeout_headers', 'does not begin to respond', () => answering(silent), HEADERS],
    ['timeout_headers', 'stops within its headers', () => writing('HTTP/1.1 200 OK\r\nx-a: b'), HEADERS],
    ['timeout_headers', 'keeps sending interim responses', () => writing('', () => EARLY_HINTS), HEADERS],
    ['timeout_headers', 'lets its headers drip', () => writing('HTTP/1.1 200 OK\r\nx-slow: ', () => 'a'), HEADERS],
    ['timeout_body', 'lets its body drip', () => answering(dripping), { timeouts: { bodyMs: 150 } }],
    ['timeout_total', 'takes too long in any phase', () => answering(silent), { timeouts: { totalMs: 100 } }],
    ['too_large', 'announces a long body', () => answering(announcing)],
    ['too_large', 'sends an endless body', () => answering(endless), { maxResponseBytes: 1_000_000 }],
    ['too_large', 'sends endless headers', () => writing('HTTP/1.1 200 OK\r\n', () => LONG_HEADER, 1)],
    ['http_protocol', 'does not speak HTTP', () => writing('SSH-2.0-OpenSSH_9.7\r\n')],
    ['http_protocol', 'contradicts itself about its framing', () => writing(`${TWO_FRAMINGS}1\r\na\r\n0\r\n\r\n`)],
    [
      'reset',
      'closes during the handshake',
      () => tcpReceiver((socket) => socket.once('data', () => socket.destroy())),
    ],
    ['reset', 'closes before it responds', () => sending((socket) => socket.once('data', () => socket.destroy()))],
    ['reset', 'closes while it responds', () => breaking('destroy')],
  ];
  it.each(failures)(
    'fails with "%s" when the receiver %s',
    async (code, _what, open, request: Partial<EgressRequest> = {}) => {
      const receiver = closeLater(await open());
      const client = clientFor(receiver, { timeouts: request.timeouts });
      expect((await failure(get(client, receiver, request))).code).toBe(code);
    },
  );

  it('fails with "timeout_connect" when a lookup never ends', async () => {
    const receiver = await answering(ok);
    const resolver = () => new Promise<never>(() => undefined);
    const client = clientFor(receiver, { timeouts: { connectMs: 100 }, resolver });
    expect((await failure(get(client, receiver))).code).toBe('timeout_connect');
  });

  it('truncates a long body when asked to', async () => {
    const receiver = await answering((_request, response) => response.end('a'.repeat(100_000)));
    const client = clientFor(receiver);
    const answer = await get(client, receiver, { maxResponseBytes: 10, truncate: true });
    expect(answer).toMatchObject({ status: 200, truncated: true });
    expect(answer.body.toString()).toBe('a'.repeat(10));
    expect(client.idleSockets).toBe(0);
    expect((await get(client, receiver, { maxResponseBytes: 100_000 })).body.length).toBe(100_000);
  });

  it('truncates a body of 10 GB when asked to, with or without an announced length', async () => {
    let sent = 0;
    const count = (bytes: number) => {
      sent += bytes;
    };
    for (const headers of [{ 'content-length': 10_000_000_000 }, {}]) {
      const receiver = await answering((_request, response) => flood(response.writeHead(200, headers), count));
      const answer = await get(clientFor(receiver), receiver, { maxResponseBytes: 4096, truncate: true });
      expect(answer).toMatchObject({ status: 200, truncated: true });
      expect(answer.body.length).toBe(4096);
    }
    // No more than the buffers of both sides hold.
    expect(sent).toBeLessThan(50_000_000);
  });

  it('counts the compressed bytes of a decompression bomb, since it is never decompressed', async () => {
    const bomb = gzipSync(Buffer.alloc(20_000_000));
    const receiver = await answeringGzip(bomb);
    const client = clientFor(receiver);
    expect((await failure(get(client, receiver, { maxResponseBytes: bomb.length - 1 }))).code).toBe('too_large');
    expect(await get(client, receiver, { maxResponseBytes: bomb.length })).toMatchObject({ truncated: false });
  });

  it('fails when the body is shorter than announced', async () => {
    const short = await breaking('end');
    expect(['http_protocol', 'reset']).toContain((await failure(get(clientFor(short), short))).code);
  });

  it('finishes a request in progress when the client is closed', async () => {
    const receiver = await answering(ok);
    const client = clientFor(receiver);
    const call = get(client, receiver);
    await client.close();
    expect(await call).toMatchObject({ status: 200 });
    expect(client.idleSockets).toBe(0);
  });

  it('does not let a slow host delay a call to another host', async () => {
    const slow = await answering(silent);
    const quick = await answering(ok);
    const client = clientOf([slow, quick], certificate);
    const hanging = failure(get(client, slow, { timeouts: { totalMs: 300 } }));
    expect(await get(client, quick)).toMatchObject({ status: 200 });
    expect((await hanging).code).toBe('timeout_total');
  });
});
