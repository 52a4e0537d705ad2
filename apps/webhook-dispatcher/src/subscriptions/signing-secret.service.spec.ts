import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { signerOf } from './signature.js';
import { publicKeyOf } from './signing-key.js';
import { SigningSecretService } from './signing-secret.service.js';

const service = new SigningSecretService({ keyEncryptionKey: randomBytes(32).toString('base64') });
const owner = { subscriptionId: '019ca8e0-4b7a-7d13-9c58-1e6f2a8d0b94' };

describe('signing secrets', () => {
  it('are different each time, in the format of Standard Webhooks', () => {
    const [one, other] = [service.createKeyPair(), service.createKeyPair()];
    expect(one.secret).toMatch(/^whsk_[A-Za-z0-9+/]{43}=$/);
    expect(one.publicKey).toMatch(/^whpk_[A-Za-z0-9+/]{43}=$/);
    expect(one.publicKey).toBe(publicKeyOf(one.secret));
    expect(one.secret).not.toBe(other.secret);
    expect(service.create()).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  });

  it('sign after they were sealed and opened again, only for their owner', () => {
    const { secret } = service.createKeyPair();
    const sealed = service.seal(secret, owner);
    expect(sealed.includes(Buffer.from(secret))).toBe(false);
    const headers = signerOf([service.open(sealed, owner)]).headers('id', 1, '{}');
    expect(headers).toEqual(signerOf([secret]).headers('id', 1, '{}'));
    expect(() => service.open(sealed, { appKey: 'acme' })).toThrow();
  });
});
