import { PlatformError } from '@crm/contracts';

/** The entity tag of a version (RFC 9110, section 8.8.3). */
export const entityTag = (version: number): string => `"${version}"`;

/**
 * Checks `If-Match` (RFC 9110, section 13.1.1) against the present version; a missing header matches everything.
 * @throws VERSION_MISMATCH
 */
export function requireMatch(ifMatch: string | undefined, version: number): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  const tags = ifMatch.split(',').map((tag) => tag.trim());
  if (!tags.includes(entityTag(version))) throw new PlatformError('VERSION_MISMATCH');
}
