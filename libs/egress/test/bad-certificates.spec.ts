import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { EgressError, OutsideClient } from '../src/index.js';
import { type Certificate, httpsReceiver, makeCertificate, type Receiver } from './receiver.js';

const NAME = 'receiver.test';

/** `npm run test:deep` makes enough calls to show a memory leak. */
const DEEP = process.env.DEEP === '1';
const CALLS = DEEP ? 10_000 : 200;

/** As many concurrent calls as a dispatcher makes to its slow endpoints. */
const CONCURRENCY = 16;

/** Parts of the run whose lowest heap sizes are compared; the collector runs many times within each. */
const PARTS = 5;

/** Allowed growth of the heap from the second part to the last. A leaked socket with its TLS state costs 10 KiB. */
const MAX_GROWTH_BYTES = 8 * 1024 * 1024;

let receivers: Receiver[];
let trusted: Certificate;

beforeAll(async () => {
  trusted = await makeCertificate([NAME]);
  const certificates = [
    await makeCertificate([NAME]),
    await makeCertificate(['other.test'], { ips: [] }),
    await makeCertificate([NAME], { expired: true }),
  ];
  receivers = await Promise.all(certificates.map((one) => httpsReceiver(one, (_request, response) => response.end())));
});

afterAll(async () => {
  await Promise.all(receivers.map((receiver) => receiver.close()));
});

/** Open sockets of this process, including those of the receivers. */
function openSockets(): number {
  return process.getActiveResourcesInfo().filter((kind) => /TLS|TCPSocket/.test(kind)).length;
}

it(
  `leaks neither sockets nor memory in ${CALLS} calls to hosts with bad certificates`,
  async () => {
    const client = new OutsideClient({
      allow: receivers.map(({ port }) => ({ host: NAME, port })),
      ca: trusted.cert,
      resolver: async () => ['127.0.0.1'],
    });
    const before = openSockets();
    const lowest = new Array<number>(PARTS).fill(Number.POSITIVE_INFINITY);
    const codes = new Map<string, number>();
    let next = 0;
    const worker = async () => {
      for (let call = next++; call < CALLS; call = next++) {
        const { port } = receivers[call % receivers.length]!;
        const error = await client
          .request({ method: 'POST', url: `https://${NAME}:${port}/`, body: 'x'.repeat(1000) })
          .then(
            () => 'answered',
            (reason: unknown) => reason,
          );
        const code = error instanceof EgressError ? error.code : String(error);
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
