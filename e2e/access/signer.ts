import { createPrivateKey, type JsonWebKey, type KeyObject, sign } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { ACCESS_TOKEN_TYPE, type AccessTokenClaims } from '@crm/contracts';
import { newId } from '@crm/database';
import { SecretBox } from '@crm/encryption';
import { addresses } from '../platform/addresses.js';
import { inIdentity } from '../platform/identity-database.js';

export const claimsOf = (token: string): AccessTokenClaims =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

/** Signs a token with changes to the claims of a true one. */
export type Sign = (of: string, changes: Partial<AccessTokenClaims>) => string;

/**
 * Signs with the platform's own private keys, which the test opens as identity does: for tokens that no route hands out, such as
 * one that has expired or one of the internal audience.
 * @param group whose key: the tenants' or the operators'
 */
export async function signerOf(group: 'api' | 'admin'): Promise<Sign> {
  const [row] = await inIdentity<{ kid: string; sealed: Buffer }>(
    `SELECT kid, sealed_private_jwk AS sealed FROM signing_key
     WHERE issuer_group = $1 AND retires_at IS NULL ORDER BY signs_from DESC LIMIT 1`,
    [group],
  );
  if (!row) throw new Error(`There is no signing key of ${group}`);
  const secrets = JSON.parse(await readFile(path.join(addresses.dataDir, 'secrets.json'), 'utf8'));
  const jwk = new SecretBox(secrets.keyEncryption.identity).open(row.sealed, `signing_key/${row.kid}`);
  const key = createPrivateKey({ key: JSON.parse(jwk) as JsonWebKey, format: 'jwk' });
  return (of, changes) => signed(row.kid, key, { ...claimsOf(of), jti: newId(), ...changes });
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function signed(kid: string, key: KeyObject, claims: AccessTokenClaims): string {
  const input = `${encoded({ alg: 'EdDSA', typ: ACCESS_TOKEN_TYPE, kid })}.${encoded(claims)}`;
  return `${input}.${sign(null, Buffer.from(input), key).toString('base64url')}`;
}
