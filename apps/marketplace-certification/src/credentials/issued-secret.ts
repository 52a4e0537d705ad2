import { randomBytes } from 'node:crypto';
import { fingerprintOf } from '@crm/contracts';

/** Bytes of a secret: 256 bits, beyond guessing. */
const SECRET_BYTES = 32;

/** A new secret in base64url, to be shown once, and what identity is told of it. Nobody stores the secret. */
export function issuedSecret(): { readonly secret: string; readonly fingerprint: string } {
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  return { secret, fingerprint: fingerprintOf(secret) };
}
