import { pooledRandom } from './random.js';

const PATTERN = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

const NO_TRACE = '0'.repeat(32);
const NO_PARENT = '0'.repeat(16);

/**
 * The trace context for this call: the caller's trace with a new span, or a new trace if the caller sent none or an
 * invalid one (W3C Trace Context, section 3.2).
 */
export function continueTrace(received: string | undefined): string {
  const span = pooledRandom(8).toString('hex');
  const match = received === undefined ? null : PATTERN.exec(received);
  if (match) {
    const [, version, trace, parent, flags, rest] = match;
    // Version ff is forbidden, an all-zero id is invalid, and version 00 has exactly four parts.
    const valid = version !== 'ff' && trace !== NO_TRACE && parent !== NO_PARENT && (version !== '00' || !rest);
    // Of a later version, the part defined by version 00 is read; of its flags only "sampled" is known.
    if (valid) return `00-${trace}-${span}-${Number.parseInt(flags!, 16) & 1 ? '01' : '00'}`;
  }
  return `00-${pooledRandom(16).toString('hex')}-${span}-01`;
}
