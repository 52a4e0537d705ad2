import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { publicKeyOf, signerOf } from './signature.js';
import { SigningSecretService } from './signing-secret.service.js';

const service = new SigningSecretService({ keyEncryptionKey: randomBytes(32).toString('base64') });
const owner = { subscriptionId: '019ca8e0-4b7a-7d13-9c58-1e6f2a8d0b94' };
const issue = (signature: 'v1' | 'v1a') => {
  const { sealed, publicKey, shown } = service.issue(signature, owner);
  return { sealed, publicKey, shown, secret: service.open(sealed, owner) };
};

describe('signing secrets', () => {
  it('are different each time, in the format of Standard Webhooks', () => {
    const [one, other] = [issue('v1a'), issue('v1a')];
    expect(one.secret).toMatch(/^whsk_[A-Za-z0-9+/]{43}=$/);
    expect(one.publicKey).toMatch(/^whpk_[A-Za-z0-9+/]{43}=$/);
    expect(one.publicKey).toBe(publicKeyOf(one.secret));
    expect(one.shown).toEqual({ publicKey: one.publicKey });
    expect(one.secret).not.toBe(other.secret);
    const shared = issue('v1');
    expect(shared.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(shared).toMatchObject({ publicKey: null, shown: { secret: shared.secret } });
  });

  it('sign after they were sealed and opened again, only for their owner', () => {
    const { sealed, secret } = issue('v1a');
    expect(sealed.includes(Buffer.from(secret))).toBe(false);
    const headers = signerOf([service.open(sealed, owner)]).headers('id', 1, '{}');
    expect(headers).toEqual(signerOf([secret]).headers('id', 1, '{}'));
    expect(() => service.open(sealed, { appKey: 'acme' })).toThrow();
  });
});
