import { randomBytes } from 'node:crypto';
import { fingerprintOf } from '@crm/contracts';

/** Credentials as their callers make them: the secret stays with the caller, identity is told its fingerprint. */
export async function withNewSecret<Issued extends object>(
  issue: (fingerprint: string) => Promise<Issued>,
): Promise<Issued & { clientSecret: string }> {
  const clientSecret = randomBytes(32).toString('base64url');
  return { ...(await issue(fingerprintOf(clientSecret))), clientSecret };
}
