import { pooledRandom } from '@crm/context';
import { v7 } from 'uuid';

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
  if (now > msecs) {
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
 * The tenant of messages without a tenant, such as one that could not be parsed. No principal belongs to it, so no tenant
 * transaction of a request ever sees its rows.
 */
export const NO_TENANT = '00000000-0000-0000-0000-000000000000';
