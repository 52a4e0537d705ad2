import { readAuthorities } from './authorities.js';
import type { EnvironmentReader } from './environment.js';
import { CERTIFICATE_VARIABLE, KEY_VARIABLE, type KeyPairFiles, readKeyPair } from './key-pair.js';
import { UnusableSecretFile } from './secret-file.js';

/**
 * Reads TLS_CERT_FILE and TLS_KEY_FILE, with which a service speaks HTTPS on its port.
 * @returns undefined when neither is set
 */
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

/**
 * Reads a variable that names a file of authorities, in place of those that the system trusts.
 * @returns the path, undefined when it is not set
 */
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
