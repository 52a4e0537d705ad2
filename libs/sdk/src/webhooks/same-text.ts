import { timingSafeEqual } from 'node:crypto';

/** Whether two texts are the same, in a time that depends on the length of `given` only. */
export function isSameText(given: string, expected: string): boolean {
  const givenBytes = Buffer.from(given, 'utf8');
  const expectedBytes = Buffer.from(expected, 'utf8');
  return givenBytes.length === expectedBytes.length && timingSafeEqual(givenBytes, expectedBytes);
}
