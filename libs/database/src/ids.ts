import { createHash } from 'node:crypto';
import { pooledRandom } from '@crm/access';
import { stringify, v7 } from 'uuid';

/**
 * How far ids go ahead of a clock that was set back, so that they stay in order: less than the age ahead of the clock at which
 * tokens, whose time is that of their id, are refused (60 s, libs/access).
 */
const MOST_AHEAD_MS = 10_000;

let msecs = 0;
let seq = 0;

/**
 * A new id: UUID version 7 (RFC 9562), so that ids sort by creation time, and those of a process in the order in which they
 * were made: within a millisecond a counter goes up (section 6.2, method 1). The package does the same, but asks the system
 * for random bytes each time.
 */
export function newId(): string {
  const random = pooledRandom(16);
  const now = Date.now();
  if (now > msecs || msecs - now > MOST_AHEAD_MS) {
    msecs = now;
    // 31 bits, so that the counter has room.
    seq = random.readUInt32BE(0) >>> 1;
  } else {
    seq = (seq + 1) | 0;
    if (seq === 0) msecs += 1;
  }
  return v7({ random, msecs, seq });
}

/**
 * The id of a row that must exist once for a cause, however often it is written: the same for the same time and parts. It is a
 * UUIDv7 whose random bits are the first of the SHA-256 of the parts, so that a table that is partitioned by the id needs no
 * unique key beyond its primary key.
 * @param ms milliseconds since 1970, as the cause has them, such as those in the id of an event: never the time of now
 * @param parts what the row is about, such as the ids of a consumer and a message
 * @throws Error when the time is no integer of 48 bits
 */
export function idOf(ms: number, ...parts: readonly string[]): string {
  if (!Number.isInteger(ms) || ms < 0 || ms >= 2 ** 48) throw new Error(`${ms} is not a time of 48 bits`);
  // As JSON, in which no two lists of parts look the same.
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

/**
 * The tenant of messages without a tenant, such as one that could not be parsed. No principal belongs to it, so no tenant
 * transaction of a request ever sees its rows.
 */
export const NO_TENANT = '00000000-0000-0000-0000-000000000000';
