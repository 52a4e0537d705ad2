import { createSecureContext } from 'node:tls';
import { afterEach, expect, it } from '@jest/globals';
import { connectChecked, SESSION_LIFETIME_MS, type VerifiedSession } from '../src/connector.js';
import { closeAll, closeLater, NAME } from './calls.js';
import { makeCertificate, tlsReceiver } from './receiver.js';

afterEach(closeAll);

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
