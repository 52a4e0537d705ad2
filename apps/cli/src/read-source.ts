import { readFile, stat } from 'node:fs/promises';
import { JsonSource } from '@crm/manifest';
import { errorCodeOf, messageOf } from './error-code.js';
import { UsageError } from './usage-error.js';

/** Larger files are no packages; they are not read into memory. In bytes. */
const MAX_FILE_BYTES = 32 * 1024 * 1024;

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'it may not be read',
  EPERM: 'it may not be read',
};

/**
 * Reads a JSON file with the places of its values.
 *
 * @throws UsageError when it cannot be read or is not UTF-8; what is wrong inside it is a finding and no error
 */
export async function readSource(file: string): Promise<JsonSource> {
  const bytes = await readBytes(file);
  try {
    return new JsonSource(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch (error) {
    if (errorCodeOf(error) !== 'ERR_ENCODING_INVALID_ENCODED_DATA') throw error;
    throw new UsageError(`${file} cannot be read: it is not UTF-8.`);
  }
}

async function readBytes(file: string): Promise<Uint8Array> {
  try {
    const { size } = await stat(file);
    if (size > MAX_FILE_BYTES)
      throw new UsageError(`${file} cannot be read: it is larger than ${MAX_FILE_BYTES} bytes.`);
    return await readFile(file);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const reason = REASONS[errorCodeOf(error)] ?? messageOf(error);
    throw new UsageError(`${file} cannot be read: ${reason}.`);
  }
}
