import { get as httpsGet } from 'node:https';
import tls, { type SecureVersion } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { clientOf, closeAll, closeLater, failure, get, NAME } from './calls.js';
import { type Certificate, httpsReceiver, makeCertificate, type Receiver } from './receiver.js';

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
  afterEach(closeAll);
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
    const error = await failure(get(clientOf([weak], certificate), weak));
    expect(error).toMatchObject({ code: 'tls' });
  });

  it('refuses a receiver that signed its certificate itself', async () => {
    const own = await makeCertificate([NAME]);
    const selfSigned = closeLater(await httpsReceiver(own, (_request, response) => response.end('ok')));
    const error = await failure(get(clientOf([selfSigned], certificate), selfSigned));
    expect(error).toMatchObject({ code: 'tls', message: expect.stringMatching(/SELF_SIGNED|UNABLE_TO_VERIFY/) });
  });
});
