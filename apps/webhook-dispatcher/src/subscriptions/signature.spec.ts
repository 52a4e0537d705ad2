import { createHmac, createPublicKey, verify } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { publicKeyOf, signerOf, signingKeyOf } from './signature.js';

const ID = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
const BODY = '{"test": 2432232314}';
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
/** From the tests of Standard Webhooks' Go library (`webhook_asymmetric_test.go`). */
const PRIVATE_KEY = 'whsk_VEVTVFNJR05JTkdLRVlET05PVFVTRVRISVNGT1JBTlk=';

/** Verifies like a receiver with the public key. */
function isSignedBy(publicKey: string, signature: string, signed: string): boolean {
  const x = Buffer.from(publicKey.slice('whpk_'.length), 'base64').toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, Buffer.from(signed), key, Buffer.from(signature.slice('v1a,'.length), 'base64'));
}

describe('the signature of a delivery', () => {
  it('matches the test vector of Standard Webhooks', () => {
    const headers = signerOf([SECRET]).headers(ID, 1614265330, BODY);
    expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
    expect(headers['webhook-id']).toBe(ID);
    expect(headers['webhook-timestamp']).toBe('1614265330');
  });

  it('matches the test vector of its Go library for Ed25519', () => {
    const headers = signerOf([PRIVATE_KEY]).headers(ID, 1614265330, BODY);
    expect(headers).toEqual({
      'webhook-id': ID,
      'webhook-timestamp': '1614265330',
      'webhook-signature':
        'v1a,tQ9V2XOqn7jL/DQenEFpqIugdBVtiMmER5mhSkXBNwM0mkATuDe6KYYUuxqtaiHeYGb7KaaBRdM5WqyeFiL8Ag==',
    });
  });

  it('also signs timestamp and body with the text of the whole secret', () => {
    const mac = createHmac('sha256', SECRET).update(`1614265330.${BODY}`).digest('hex');
    expect(signerOf([SECRET]).headers(ID, 1614265330, BODY)['x-platform-signature']).toBe(`t=1614265330,v1=${mac}`);
  });

  it('carries a signature for each valid secret during a rotation', () => {
    const headers = signerOf(['whsec_AAAA', 'whsec_BBBB']).headers(ID, 1, BODY);
    expect(headers['webhook-signature'].split(' ')).toHaveLength(2);
    expect(headers['x-platform-signature']?.match(/v1=/g)).toHaveLength(2);
  });

  it('carries both kinds while a receiver changes from one to the other', () => {
    const headers = signerOf([PRIVATE_KEY, SECRET]).headers(ID, 1614265330, BODY);
    const only = (secret: string) => signerOf([secret]).headers(ID, 1614265330, BODY);
    expect(headers['webhook-signature']).toBe(
      `${only(PRIVATE_KEY)['webhook-signature']} ${only(SECRET)['webhook-signature']}`,
    );
    expect(headers['x-platform-signature']).toBe(only(SECRET)['x-platform-signature']);
  });

  it('is made from what the definitions say, for any body and by a signer that made others before', () => {
    const secrets = ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', `whsec_${Buffer.alloc(32, 9).toString('base64')}`];
    const signer = signerOf([...secrets, PRIVATE_KEY]);
    const publicKey = publicKeyOf(PRIVATE_KEY);
    fc.assert(
      fc.property(fc.uuid(), fc.nat(), fc.string({ unit: 'grapheme' }), (id, timestamp, body) => {
        const { 'webhook-signature': signatures, ...headers } = signer.headers(id, timestamp, body);
        const [first, second, third, ...more] = signatures.split(' ');
        const standard = (secret: string) =>
          `v1,${createHmac('sha256', Buffer.from(secret.slice(6), 'base64'))
            .update(`${id}.${timestamp}.${body}`)
            .digest('base64')}`;
        const plain = (secret: string) =>
          `v1=${createHmac('sha256', Buffer.from(secret)).update(`${timestamp}.${body}`).digest('hex')}`;
        expect([first, second, more]).toEqual([...secrets.map(standard), []]);
        expect(isSignedBy(publicKey, third as string, `${id}.${timestamp}.${body}`)).toBe(true);
        expect(isSignedBy(publicKey, third as string, `${id}.${timestamp + 1}.${body}`)).toBe(false);
        expect(headers).toEqual({
          'webhook-id': id,
          'webhook-timestamp': String(timestamp),
          'x-platform-signature': [`t=${timestamp}`, ...secrets.map(plain)].join(','),
        });
      }),
      { numRuns: 50 },
    );
  });
});

describe('a signing key', () => {
  it('has the public key of the first test vector of RFC 8032', () => {
    const seed = Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex');
    const publicKey = Buffer.from('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a', 'hex');
    expect(publicKeyOf(`whsk_${seed.toString('base64')}`)).toBe(`whpk_${publicKey.toString('base64')}`);
  });

  it.each(['', 'a9-b7-c5', 'whpk_AAAA', 'whsk_', 'whsk_AAAA', `whsk_${Buffer.alloc(64, 1).toString('base64')}`])(
    'is not made from %j, and the error does not repeat it',
    (secret) => {
      expect(() => signingKeyOf(secret)).toThrow(/^A (private )?signing (key|secret) /);
      if (secret.length > 5) expect(() => signingKeyOf(secret)).not.toThrow(secret);
    },
  );
});
