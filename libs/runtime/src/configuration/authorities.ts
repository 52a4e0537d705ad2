import { X509Certificate } from 'node:crypto';
import { readSecretFile, UnusableSecretFile } from './secret-file.js';

const BEGIN = /-----BEGIN /g;
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Reads the certificates of authorities, one or more in a file.
 * @param variable which names the file; for messages
 * @returns PEM
 * @throws UnusableSecretFile when the file cannot be read, has none, or holds anything else, such as a key
 */
export function readAuthorities(variable: string, file: string): string {
  const text = readSecretFile(variable, file);
  const certificates = text.match(CERTIFICATE) ?? [];
  // OpenSSL passes over what it cannot read, and nothing would be trusted in the end.
  const isComplete = certificates.length === text.match(BEGIN)?.length;
  if (!isComplete || !certificates.every(isCertificate)) {
    throw new UnusableSecretFile(`${variable}: ${file} does not consist of certificates in PEM`);
  }
  return text;
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}
