import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { TLS_SETTINGS } from '@crm/contracts';
import { readSecretFile, UnusableSecretFile } from './secret-file.js';

/** Where the certificate that a service presents is, with those between it and the authority, and its key. */
export interface KeyPairFiles {
  readonly certificateFile: string;
  readonly keyFile: string;
}

/** What a server presents, in PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** The variables that name the files; for messages. */
export const CERTIFICATE_VARIABLE = 'TLS_CERT_FILE';
export const KEY_VARIABLE = 'TLS_KEY_FILE';

const WHOLE = /-----BEGIN ([A-Z0-9 ]+)-----[^-]*-----END \1-----/g;

/**
 * Reads a certificate and its key.
 * @throws UnusableSecretFile when one of them cannot be read or is none, when they do not belong together, or when a server cannot
 *   present what is in them, such as a file that is still being written; the message says which, and nothing of the key
 */
export function readKeyPair({ certificateFile, keyFile }: KeyPairFiles): KeyPair {
  const cert = readSecretFile(CERTIFICATE_VARIABLE, certificateFile);
  const key = readSecretFile(KEY_VARIABLE, keyFile);
  const certificate = parseCertificate(cert);
  if (!certificate)
    throw new UnusableSecretFile(`${CERTIFICATE_VARIABLE}: ${certificateFile} is no certificate in PEM`);
  const privateKey = parseKey(key);
  if (!privateKey) {
    throw new UnusableSecretFile(
      `${KEY_VARIABLE}: ${keyFile} is no private key in PEM, or is locked with a passphrase`,
    );
  }
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new UnusableSecretFile(
      `${KEY_VARIABLE}: ${keyFile} is not the key of the certificate in ${certificateFile} (${CERTIFICATE_VARIABLE})`,
    );
  }
  // OpenSSL would pass over one that ends within its first line, and callers would not find the way to the authority.
  if (cert.replace(WHOLE, '').includes('-----')) {
    throw new UnusableSecretFile(`${CERTIFICATE_VARIABLE}: ${certificateFile} is cut off`);
  }
  const problem = presentingProblem({ cert, key });
  if (problem)
    throw new UnusableSecretFile(`${CERTIFICATE_VARIABLE}: ${certificateFile} cannot be presented (${problem})`);
  return { cert, key };
}

/** The time from which on nobody accepts a certificate any more. */
export const expiryOf = ({ cert }: Pick<KeyPair, 'cert'>): Date => new Date(new X509Certificate(cert).validTo);

/** The first of a file, which is the one that is presented. */
function parseCertificate(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

function parseKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}

/** What OpenSSL says against a certificate, those above it or the strength of its key. */
function presentingProblem(pair: KeyPair): string | undefined {
  try {
    // Without authorities, which take long to read: a server does not ask for certificates.
    createSecureContext({ ...TLS_SETTINGS, ...pair, ca: [] });
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
