import { get as httpsGet } from 'node:https';
import tls, { createSecureContext, type SecureVersion } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { connectChecked, SESSION_LIFETIME_MS, type VerifiedSession } from '../src/connector.js';
import { OutsideClient } from '../src/index.js';
import { clientOf, closeAll, closeLater, failure, get, NAME, PATIENT } from './calls.js';
import { type Certificate, httpsReceiver, makeCertificate, type Receiver, tlsReceiver } from './receiver.js';

afterEach(closeAll);

/** OpenSSL 3 speaks TLS 1.0 and 1.1, and signs their handshakes with SHA-1, at this level only. */
const ANYTHING = 'ALL:@SECLEVEL=0';

describe('what TLS is spoken with receivers', () => {
  const defaults = { version: tls.DEFAULT_MIN_VERSION, ciphers: tls.DEFAULT_CIPHERS };
  let certificate: Certificate;

  beforeAll(async () => {
    certificate = await makeCertificate([NAME]);
    // A process whose Node was told to speak anything: the client does not depend on it.
    tls.DEFAULT_MIN_VERSION = 'TLSv1';
    tls.DEFAULT_CIPHERS = ANYTHING;
  });
  afterAll(() => {
    tls.DEFAULT_MIN_VERSION = defaults.version;
    tls.DEFAULT_CIPHERS = defaults.ciphers;
  });

  /** A server that speaks one version, and TLS 1.2 with some suites only. */
  const receiver = async (version: SecureVersion, ciphers = ANYTHING): Promise<Receiver> => {
    const options = { minVersion: version, maxVersion: version, ciphers };
    return closeLater(await httpsReceiver(certificate, (_request, response) => response.end('ok'), options));
  };

  /** What a client with the defaults of this process makes of the server. */
  const asAnybody = ({ port }: Receiver): Promise<string | null> =>
    new Promise((resolve, reject) => {
      httpsGet({ host: '127.0.0.1', port, servername: NAME, ca: certificate.cert, agent: false }, (response) => {
        const { socket } = response as unknown as { socket: tls.TLSSocket };
        resolve(socket.getProtocol());
        response.resume();
      }).on('error', reject);
    });

  it.each(['TLSv1', 'TLSv1.1'] as const)(
    'refuses a receiver that speaks %s alone, before it sends anything',
    async (version) => {
      const old = await receiver(version);
      expect(await asAnybody(old)).toBe(version);
      const error = await failure(get(clientOf([old], certificate), old));
      expect(error).toMatchObject({ code: 'tls', message: expect.stringContaining('PROTOCOL_VERSION') });
    },
  );

  it.each(['TLSv1.2', 'TLSv1.3'] as const)('calls a receiver that speaks %s alone', async (version) => {
    const current = await receiver(version);
    expect(await get(clientOf([current], certificate), current)).toMatchObject({ status: 200 });
  });

  it('refuses a receiver that has suites without authenticated encryption alone', async () => {
    const weak = await receiver('TLSv1.2', 'ECDHE-ECDSA-AES128-SHA256:ECDHE-ECDSA-AES128-SHA:@SECLEVEL=0');
    expect(await asAnybody(weak)).toBe('TLSv1.2');
    expect(await failure(get(clientOf([weak], certificate), weak))).toMatchObject({ code: 'tls' });
  });

  it('refuses a receiver that signed its certificate itself', async () => {
    const own = await makeCertificate([NAME]);
    const selfSigned = closeLater(await httpsReceiver(own, (_request, response) => response.end('ok')));
    const error = await failure(get(clientOf([selfSigned], certificate), selfSigned));
    expect(error).toMatchObject({ code: 'tls', message: expect.stringMatching(/SELF_SIGNED|UNABLE_TO_VERIFY/) });
  });
});

/** The session that a full handshake leaves with a certificate that is valid for this time, and the time it was asked for. */
async function sessionOf(validMs: number): Promise<{ kept: VerifiedSession; begun: number }> {
  const certificate = await makeCertificate([NAME], { validMs });
  const receiver = closeLater(await tlsReceiver(certificate, (socket) => socket.write('hello')));
  const begun = performance.now();
  const kept = await new Promise<VerifiedSession>((resolve, reject) => {
    connectChecked(
      { hostname: NAME, port: receiver.port, addresses: ['127.0.0.1'], exempt: true },
      {
        secureContext: createSecureContext({ ca: certificate.cert }),
        sessions: { find: () => undefined, keep: (_address, session) => resolve(session), forget: () => undefined },
        timeoutMs: 600_000,
        signal: new AbortController().signal,
      },
    ).then((socket) => socket.resume(), reject);
  });
  return { kept, begun };
}

it('keeps a session with the name that was checked, for ten minutes', async () => {
  const { kept, begun } = await sessionOf(86_400_000);
  expect(kept.name).toBe(NAME);
  expect(kept.usableUntil).toBeGreaterThanOrEqual(begun + SESSION_LIFETIME_MS);
  expect(kept.usableUntil).toBeLessThanOrEqual(performance.now() + SESSION_LIFETIME_MS);
});

it('keeps a session no longer than the certificate is valid', async () => {
  const validMs = 300_000;
  const { kept } = await sessionOf(validMs);
  expect(kept.usableUntil).toBeLessThanOrEqual(performance.now() + validMs);
});

/** `npm run test:deep` makes enough calls to show a memory leak. */
const DEEP = process.env.DEEP === '1';
const CALLS = DEEP ? 10_000 : 200;

/** A dispatcher makes so many concurrent calls to its slow endpoints. */
const CONCURRENCY = 16;

/** Parts of the run whose lowest heap sizes are compared; the collector runs many times within each. */
const PARTS = 5;

/** Allowed growth of the heap from the second part to the last. A leaked socket with its TLS state costs 10 KiB. */
const MAX_GROWTH_BYTES = 8 * 1024 * 1024;

/** Open sockets of this process, including those of the receivers. */
function openSockets(): number {
  return process.getActiveResourcesInfo().filter((kind) => /TLS|TCPSocket/.test(kind)).length;
}

it(
  `leaks neither sockets nor memory in ${CALLS} calls to hosts with bad certificates`,
  async () => {
    const certificates = [
      await makeCertificate([NAME]),
      await makeCertificate(['other.test'], { ips: [] }),
      await makeCertificate([NAME], { expired: true }),
    ];
    const receivers = await Promise.all(certificates.map((one) => httpsReceiver(one, (_, response) => response.end())));
    for (const receiver of receivers) closeLater(receiver);
    const client = new OutsideClient({
      allow: receivers.map(({ port }) => ({ host: NAME, port })),
      ca: (await makeCertificate([NAME])).cert,
      resolver: async () => ['127.0.0.1'],
      // A busy machine needs seconds for twenty handshakes at once.
      timeouts: PATIENT,
    });
    const before = openSockets();
    const lowest = new Array<number>(PARTS).fill(Number.POSITIVE_INFINITY);
    const codes = new Map<string, number>();
    let next = 0;
    const worker = async () => {
      for (let call = next++; call < CALLS; call = next++) {
        const { port } = receivers[call % receivers.length]!;
        const url = `https://${NAME}:${port}/`;
        const { code } = await failure(client.request({ method: 'POST', url, body: 'x'.repeat(1000) }));
        codes.set(code, (codes.get(code) ?? 0) + 1);
        const part = Math.floor((call * PARTS) / CALLS);
        lowest[part] = Math.min(lowest[part]!, process.memoryUsage().heapUsed);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, worker));

    expect(Object.fromEntries(codes)).toEqual({ tls: CALLS });
    expect(client.idleSockets).toBe(0);
    await client.close();
    // The receivers notice the last closed connections a moment later.
    for (let turn = 0; turn < 1000 && openSockets() > before; turn++) await new Promise(setImmediate);
    expect(openSockets()).toBeLessThanOrEqual(before);
    if (DEEP) expect(lowest.at(-1)! - lowest[1]!).toBeLessThan(MAX_GROWTH_BYTES);
  },
  DEEP ? 600_000 : 60_000,
);
