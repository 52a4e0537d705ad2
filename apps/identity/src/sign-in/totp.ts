import { createHmac, timingSafeEqual } from 'node:crypto';

/** What every authenticator app understands; the defaults of RFC 6238, section 4, and of RFC 4226, section 5.3. */
export const CODE_DIGITS = 6;
export const STEP_SECONDS = 30;

/** Steps accepted before and after the present one, for clocks that differ (RFC 6238, section 5.2). */
const TOLERATED_STEPS = 1;

/** The time step in which a moment lies. @param nowMs Unix time in milliseconds */
export const stepAt = (nowMs: number): number => Math.floor(nowMs / 1000 / STEP_SECONDS);

/** The code of a counter: HOTP of RFC 4226, section 5.3, with HMAC-SHA-1. */
export function codeOf(secret: Uint8Array, step: number, digits = CODE_DIGITS): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const offset = (mac.at(-1) as number) & 15;
  const truncated = mac.readUInt32BE(offset) & 0x7f_ff_ff_ff;
  return String(truncated % 10 ** digits).padStart(digits, '0');
}

/**
 * The step that a code belongs to, of those that are accepted now and come after the step used last; undefined when the code
 * is wrong or was used. Every accepted step is compared, so that the time says nothing about which one it was.
 */
export function matchingStep(
  secret: Uint8Array,
  code: string,
  nowMs: number,
  lastStep: number | null,
): number | undefined {
  const presented = Buffer.from(code);
  const present = stepAt(nowMs);
  let found: number | undefined;
  for (let step = present - TOLERATED_STEPS; step <= present + TOLERATED_STEPS; step += 1) {
    const expected = Buffer.from(codeOf(secret, step));
    const equal = presented.length === expected.length && timingSafeEqual(presented, expected);
    if (equal && step > (lastStep ?? -1)) found ??= step;
  }
  return found;
}
