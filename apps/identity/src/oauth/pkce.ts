import { createHash } from 'node:crypto';

/** RFC 7636, section 4.1. */
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

/** Whether a verifier is the one that a challenge was made of, by S256. */
export function isVerifierOf(challenge: string, verifier: string): boolean {
  return VERIFIER.test(verifier) && createHash('sha256').update(verifier).digest('base64url') === challenge;
}
