import { X509Certificate } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** A certificate is made anew when it has less than this to live. */
const RENEW_BEFORE_MS = 24 * 3600 * 1000;
const LIFETIME_MS = 365 * 24 * 3600 * 1000;

/** The certificate of the demo's https receiver on loopback, and its authority, which this development platform alone
 * trusts.
 * @param {string} dataDir */
export async function demoReceiverCertificate(dataDir) {
  const folder = path.join(dataDir, 'demo-receiver');
  const files = {
    caFile: path.join(folder, 'ca.pem'),
    keyFile: path.join(folder, 'key.pem'),
    certFile: path.join(folder, 'cert.pem'),
  };
  if (await isCurrent(files.certFile)) return files;
  // Loaded only when it is needed: its cryptography library is large.
  const { generate } = await import('selfsigned');
  const notAfterDate = new Date(Date.now() + LIFETIME_MS);
  const authority = await generate([{ name: 'commonName', value: 'CRM platform development CA' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notAfterDate,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  const receiver = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notAfterDate,
    ca: { key: authority.private, cert: authority.cert },
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'keyUsage', digitalSignature: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
        ],
      },
    ],
  });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(files.caFile, authority.cert);
  await writeFile(files.keyFile, receiver.private, { mode: 0o600 });
  await writeFile(files.certFile, receiver.cert);
  return files;
}

/** @param {string} certFile */
async function isCurrent(certFile) {
  const pem = await readFile(certFile).catch(() => undefined);
  return pem !== undefined && Date.parse(new X509Certificate(pem).validTo) > Date.now() + RENEW_BEFORE_MS;
}
