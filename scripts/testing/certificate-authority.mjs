// For tests: certificates as an authority of a cluster signs them.
import { generate } from 'selfsigned';

/** Of a subjectAltName. */
const DNS_NAME = /** @type {const} */ (2);
const IP_ADDRESS = /** @type {const} */ (7);
const DAY_MS = 86_400_000;

/** @typedef {{ cert: string, key: string }} Signed in PEM */

/**
 * @typedef {object} CertificateAuthority
 * @property {string} ca its own certificate, in PEM
 * @property {(names: readonly string[], options?: { ips?: readonly string[], expired?: boolean }) => Promise<Signed>} sign
 *   makes a key, and a certificate for names
 */

/** @param {string} [name] @returns {Promise<CertificateAuthority>} */
export async function certificateAuthority(name = 'Authority of a test') {
  const own = await generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  return {
    ca: own.cert,
    async sign(names, { ips = [], expired = false } = {}) {
      const { cert, private: key } = await generate([{ name: 'commonName', value: names[0] ?? '' }], {
        keyType: 'ec',
        algorithm: 'sha256',
        notBeforeDate: new Date(Date.now() - 10 * DAY_MS),
        notAfterDate: new Date(Date.now() + (expired ? -1 : 1) * DAY_MS),
        ca: { key: own.private, cert: own.cert },
        extensions: [
          { name: 'basicConstraints', cA: false },
          { name: 'keyUsage', digitalSignature: true, critical: true },
          { name: 'extKeyUsage', serverAuth: true },
          {
            name: 'subjectAltName',
            altNames: [
              ...names.map((value) => ({ type: DNS_NAME, value })),
              ...ips.map((ip) => ({ type: IP_ADDRESS, ip })),
            ],
          },
        ],
      });
      return { cert, key };
    },
  };
}
