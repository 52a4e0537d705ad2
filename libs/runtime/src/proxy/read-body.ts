import type { Readable } from 'node:stream';
import { PlatformError } from '@crm/contracts';

const MEBIBYTE = 1024 * 1024;
/** Seconds that a body of any length has: time for a lost packet. */
const LEAST_SECONDS = 2;
/** Further seconds for each MiB that is announced: a slow mobile network sends that much. */
const SECONDS_PER_MEBIBYTE = 3;

/** Whole seconds, so that the timers of most bodies share a list. */
export const deadlineMs = (bytes: number): number =>
  1000 * (LEAST_SECONDS + Math.ceil((SECONDS_PER_MEBIBYTE * bytes) / MEBIBYTE));

/**
 * Chunks announce nothing, so they are counted.
 * @param done called once: with the body, or PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT after `deadlineMs(most)`, MALFORMED_REQUEST
 */
export function readBody(payload: Readable, most: number, done: (error: Error | null, body?: Buffer) => void): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const finish = (error: Error | null): void => {
    clearTimeout(deadline);
    payload.off('data', onData);
    payload.off('end', onEnd);
    payload.off('close', onClose);
    // What still arrives after an error is thrown away until the connection is closed, which follows the answer.
    if (error) done(error);
    else done(null, chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, bytes));
  };
  const onData = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes > most) finish(new PlatformError('PAYLOAD_TOO_LARGE'));
    else chunks.push(chunk);
  };
  const onEnd = (): void => finish(null);
  const onClose = (): void => finish(new PlatformError('MALFORMED_REQUEST', 'The body ended early'));
  const deadline = setTimeout(() => finish(new PlatformError('REQUEST_TIMEOUT')), deadlineMs(most));
  payload.on('data', onData);
  payload.on('end', onEnd);
  payload.on('close', onClose);
  // It is closed after an error.
  payload.on('error', () => undefined);
}
