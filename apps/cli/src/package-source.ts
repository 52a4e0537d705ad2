import { createReadStream } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { type Certification, JsonSource, type LocatedFinding, type PackageTexts } from '@crm/manifest';
import { errorCodeOf, messageOf, UsageError } from './arguments.js';

/** Larger files are not packages; reading stops here. In bytes. */
const MAX_FILE_BYTES = 32 * 1024 * 1024;

/** Bytes per read; most packages fit into one chunk. */
const CHUNK_BYTES = 1024 * 1024;

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'file not found',
  EISDIR: "it's a folder",
  EACCES: 'permission denied',
  EPERM: 'permission denied',
};

/**
 * Reads a JSON file with the positions of its values.
 *
 * @throws UsageError when it cannot be read or is not UTF-8; problems in its content are findings, not errors
 */
export async function readSource(file: string): Promise<JsonSource> {
  const bytes = await readBytes(file);
  try {
    return new JsonSource(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch (error) {
    if (errorCodeOf(error) !== 'ERR_ENCODING_INVALID_ENCODED_DATA') throw error;
    throw new UsageError(`Can't read ${file}: it isn't UTF-8.`);
  }
}

/** Counts the bytes that are read instead of asking for the size, which a pipe or a device does not have. */
async function readBytes(file: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of createReadStream(file, { highWaterMark: CHUNK_BYTES }) as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      if (size > MAX_FILE_BYTES) throw new UsageError(`Can't read ${file}: it's larger than ${MAX_FILE_BYTES} bytes.`);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const reason = REASONS[errorCodeOf(error)] ?? messageOf(error);
    throw new UsageError(`Can't read ${file}: ${reason}.`);
  }
  return Buffer.concat(chunks);
}

/** A package that was certified, for the reports. */
export interface CertifiedPackage {
  /** Path as given on the command line. */
  file: string;
  /** Path as given on the command line; undefined without a review packet. */
  reviewFile: string | undefined;
  texts: PackageTexts;
  certification: Certification;
  findings: readonly LocatedFinding[];
}

/**
 * The starters are the examples of the repository, so the two cannot differ. The URL is valid both for this file in `src`
 * and for the built program in `dist`; by `import.meta.url` the bundler would ship the folder.
 */
export const EXAMPLES = new URL('../../../examples/', pathToFileURL(import.meta.filename));
