import { createHash } from 'node:crypto';
import { pooledRandom } from '@crm/access';
import { stringify, v7 } from 'uuid';

/** Ids stay in order when the clock is set back this far: less than the 60 s at which libs/access refuses tokens. */
const MOST_AHEAD_MS = 10_000;

let msecs = 0;
let seq = 0;

/** UUIDv7 with a counter within a millisecond (RFC 9562, 6.2, method 1); `uuid` would ask the system for each id's bytes. */
export function newId(): string {
  const random = pooledRandom(16);
  const now = Date.now();
  if (now > msecs || msecs - now > MOST_AHEAD_MS) {
    msecs = now;
    // 31 bits, which leaves one for the counter to overflow into.
    seq = random.readUInt32BE(0) >>> 1;
  } else {
    seq = (seq + 1) | 0;
    if (seq === 0) msecs += 1;
  }
  return v7({ random, msecs, seq });
}

/** A UUIDv7 with bits of the parts' SHA-256, for a row that exists once for its cause: the time is never that of now. */
export function idOf(ms: number, ...parts: readonly string[]): string {
  if (!Number.isInteger(ms) || ms < 0 || ms >= 2 ** 48) throw new Error(`${ms} is not a time of 48 bits`);
  // No two lists of parts have the same JSON.
  const id = createHash('sha256').update(JSON.stringify(parts)).digest().subarray(0, 16);
  id.writeUIntBE(ms, 0, 6);
  id.writeUInt8((id.readUInt8(6) & 0x0f) | 0x70, 6);
  id.writeUInt8((id.readUInt8(8) & 0x3f) | 0x80, 8);
  return stringify(id);
}

/** The lowest id with that time, in milliseconds since 1970: ids of an hour or a day are those from its to the next one's. */
export function lowestIdOf(ms: number): string {
  const digits = ms.toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}-0000-0000-000000000000`;
}

/** The time in a UUIDv7, in milliseconds since 1970. */
export const millisecondsOfId = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

/** The tenant of messages that could not be parsed; no principal belongs to it, so no request ever sees its rows. */
export const NO_TENANT = '00000000-0000-0000-0000-000000000000';
