import { createHash } from 'node:crypto';
import { canonicalJson } from '@crm/contracts';

/**
 * The SHA-256 of the canonical form of a manifest, in lower-case hex: the identity of a version.
 *
 * @throws TypeError when the manifest is not a JSON value
 */
export function manifestSha256(manifest: unknown): string {
  return createHash('sha256').update(canonicalJson(manifest), 'utf8').digest('hex');
}
