import { X509Certificate } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** A certificate is made anew when it has less than this to live. */
const RENEW_BEFORE_MS = 24 * 3600 * 1000;
const LIFETIME_DAYS = 365;

/** The certificate of the demo's https receiver on loopback, and its authority, which this development platform alone
 * trusts. @param {string} dataDir */
export async function demoReceiverCertificate(dataDir) {
  const folder = path.join(dataDir, 'demo-receiver');
  const [caFile, keyFile, certFile] = /** @type {[string, string, string]} */ (
    ['ca.pem', 'key.pem', 'cert.pem'].map((name) => path.join(folder, name))
  );
  const present = await readFile(certFile).catch(() => undefined);
  const validTo = present ? Date.parse(new X509Certificate(present).validTo) : 0;
  if (validTo < Date.now() + RENEW_BEFORE_MS) {
    // Loaded only when it is needed: its cryptography library is large.
    const { certificateAuthority } = await import('../servers/certificate-authority.mjs');
    const { ca, sign } = await certificateAuthority('CRM platform development CA', LIFETIME_DAYS);
    const { key, cert } = await sign(['localhost'], { ips: ['127.0.0.1'], days: LIFETIME_DAYS });
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(caFile, ca);
    await writeFile(keyFile, key, { mode: 0o600 });
    await writeFile(certFile, cert);
  }
  return { caFile, keyFile, certFile };
}
