import { EncryptionKeys, InvalidEncryptionKeys } from '@crm/encryption';
import type { EnvironmentReader } from './environment.js';

/**
 * Reads encryption keys, or the file that NAME_FILE names: one key, 32 bytes in base64, or a ring, `id:key,id:key`, whose
 * first key seals while all of them open.
 * @returns the text as it was given, which `SecretBox` and `EncryptionKeys` understand
 */
export function encryptionKeys(env: EnvironmentReader, name: string): string {
  const text = env.secret(name);
  try {
    if (text !== '') EncryptionKeys.parse(text);
  } catch (error) {
    if (!(error instanceof InvalidEncryptionKeys)) throw error;
    env.problem(`${name}: ${error.message}`);
  }
  return text;
}
