import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { TLS_SETTINGS } from '@crm/contracts';
import type { ServedKeyPair } from '@crm/http';
import { type EnvironmentReader, readSecretFile, UnusableSecretFile } from './environment.js';

/** Where the certificate that a service presents is, with those between it and the authority, and its key. */
export interface KeyPairFiles {
  readonly certificateFile: string;
  readonly keyFile: string;
}

const CERTIFICATE_VARIABLE = 'TLS_CERT_FILE';
const KEY_VARIABLE = 'TLS_KEY_FILE';

const WHOLE = /-----BEGIN ([A-Z0-9 ]+)-----[^-]*-----END \1-----/g;

/** @throws UnusableSecretFile when they are unreadable, do not fit or cannot be presented; it says nothing of the key */
export function readKeyPair({ certificateFile, keyFile }: KeyPairFiles): ServedKeyPair {
  const cert = readSecretFile(CERTIFICATE_VARIABLE, certificateFile);
  const key = readSecretFile(KEY_VARIABLE, keyFile);
  const certificate = parsed(() => new X509Certificate(cert));
  if (!certificate)
    throw new UnusableSecretFile(`${CERTIFICATE_VARIABLE}: ${certificateFile} is no certificate in PEM`);
  const privateKey = parsed(() => createPrivateKey(key));
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
export const expiryOf = ({ cert }: Pick<ServedKeyPair, 'cert'>): Date => new Date(new X509Certificate(cert).validTo);

/** The certificate or key that OpenSSL finds in a text, the first one of several; undefined for none. */
function parsed<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch {
    return undefined;
  }
}

/** What OpenSSL says against a certificate, those above it or the strength of its key. */
function presentingProblem(pair: ServedKeyPair): string | undefined {
  try {
    // Without authorities, which take long to read: a server does not ask for certificates.
    createSecureContext({ ...TLS_SETTINGS, ...pair, ca: [] });
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const BEGIN = /-----BEGIN /g;
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** One or more certificates in PEM. @throws UnusableSecretFile when the file has none or anything else */
export function readAuthorities(variable: string, file: string): string {
  const text = readSecretFile(variable, file);
  const certificates = text.match(CERTIFICATE) ?? [];
  // OpenSSL passes over what it cannot read, and nothing would be trusted in the end.
  const isComplete = certificates.length === text.match(BEGIN)?.length;
  if (!isComplete || !certificates.every((pem) => parsed(() => new X509Certificate(pem)))) {
    throw new UnusableSecretFile(`${variable}: ${file} does not consist of certificates in PEM`);
  }
  return text;
}

/** Both files, with which a service speaks HTTPS, or neither. */
export function tlsConfig(env: EnvironmentReader): KeyPairFiles | undefined {
  const [certificateFile, keyFile] = [env.optional(CERTIFICATE_VARIABLE), env.optional(KEY_VARIABLE)];
  if (certificateFile === undefined && keyFile === undefined) return undefined;
  if (certificateFile === undefined || keyFile === undefined) {
    const [given, missing] = certificateFile
      ? [CERTIFICATE_VARIABLE, KEY_VARIABLE]
      : [KEY_VARIABLE, CERTIFICATE_VARIABLE];
    env.problem(`${given} is set without ${missing}: a service needs both to speak TLS`);
    return undefined;
  }
  const files = { certificateFile, keyFile };
  reportUnusable(env, () => readKeyPair(files));
  return files;
}

/** A file of authorities, in place of those that the system trusts. */
export function authoritiesConfig(env: EnvironmentReader, name: string): string | undefined {
  const file = env.optional(name);
  if (file !== undefined) reportUnusable(env, () => readAuthorities(name, file));
  return file;
}

function reportUnusable(env: EnvironmentReader, read: () => unknown): void {
  try {
    read();
  } catch (error) {
    if (!(error instanceof UnusableSecretFile)) throw error;
    env.problem(error.message);
  }
}
