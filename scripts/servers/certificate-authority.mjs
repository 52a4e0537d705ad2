// Certificates as an authority of a cluster signs them: for tests, and for the demo's https receiver.
import { generate } from 'selfsigned';

/** The tag of a name in subjectAltName. */
const DNS_NAME = /** @type {const} */ (2);
const IP_ADDRESS = /** @type {const} */ (7);
const DAY_MS = 86_400_000;

/** @typedef {{ cert: string, key: string }} Signed in PEM */

/** @typedef {object} CertificateAuthority
 * @property {string} ca its own certificate, in PEM
 * @property {(names: readonly string[], options?: { ips?: readonly string[], days?: number }) => Promise<Signed>} sign
 *   makes a key, and a certificate for names. days: how long it is valid from now on, default 1 */

/** @param {string} [name] @param {number} [days] how long it is valid @returns {Promise<CertificateAuthority>} */
export async function certificateAuthority(name = 'Authority of a test', days = 365) {
  const until = (/** @type {number} */ count) => new Date(Date.now() + count * DAY_MS);
  const own = await generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notAfterDate: until(days),
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  return {
    ca: own.cert,
    async sign(names, { ips = [], days: valid = 1 } = {}) {
      const { cert, private: key } = await generate([{ name: 'commonName', value: names[0] ?? '' }], {
        keyType: 'ec',
        algorithm: 'sha256',
        notBeforeDate: until(-10),
        notAfterDate: until(valid),
        ca: { key: own.private, cert: own.cert },
        extensions: [
          { name: 'basicConstraints', cA: false },
          { name: 'keyUsage', digitalSignature: true, critical: true },
          { name: 'extKeyUsage', serverAuth: true, clientAuth: true },
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
