import { hkdfSync } from 'node:crypto';
import { SecretBox } from '@crm/encryption';

const PLACE = 'refresh_token/successor';

/**
 * The successor of a refresh token, readable by whoever has that token and by nobody else: the key is derived from the token,
 * of which the database has only a hash. So a client that lost the answer can be given the same successor again, and a copy
 * of the table contains no token that works.
 */
export function sealSuccessor(token: string, successor: string): Buffer {
  return boxOf(token).seal(successor, PLACE);
}

/** @throws Error when the box belongs to another token */
export function openSuccessor(token: string, sealed: Buffer): string {
  return boxOf(token).open(sealed, PLACE);
}

// Another function than the hash that is stored: SHA-256 of the token does not lead to the key.
const boxOf = (token: string): SecretBox =>
  new SecretBox(Buffer.from(hkdfSync('sha256', token, '', 'identity.refresh-token-successor', 32)).toString('base64'));
