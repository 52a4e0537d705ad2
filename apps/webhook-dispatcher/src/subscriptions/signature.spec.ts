import { createHmac, createPublicKey, randomBytes, randomUUID, verify } from 'node:crypto';
import { verifyTimestampedSignature, verifyWebhook, WebhookVerificationError } from '@crm/sdk';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { publicKeyOf, type SignedHeaders, SigningSecretService, signerOf, signingKeyOf } from './signature.js';

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
  it.each([
    ['Standard Webhooks', SECRET, 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='],
    [
      'its Go library for Ed25519',
      PRIVATE_KEY,
      'v1a,tQ9V2XOqn7jL/DQenEFpqIugdBVtiMmER5mhSkXBNwM0mkATuDe6KYYUuxqtaiHeYGb7KaaBRdM5WqyeFiL8Ag==',
    ],
  ])('matches the test vector of %s', (_, secret, signature) => {
    const { 'x-platform-signature': _ours, ...headers } = signerOf([secret]).headers(ID, 1614265330, BODY);
    expect(headers).toEqual({ 'webhook-id': ID, 'webhook-timestamp': '1614265330', 'webhook-signature': signature });
  });

  it('is made from what the definitions say, for any body and by a signer that made others before', () => {
    const secrets = [SECRET, `whsec_${Buffer.alloc(32, 9).toString('base64')}`];
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

/** The text with one bit of its UTF-8 bytes changed. */
function flip(text: string, position: number): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  const bit = position % (bytes.length * 8);
  bytes.writeUInt8(bytes.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
  return bytes;
}

/** @throws Error unless the SDK refuses it; without `expect`, which is slow in thousands of runs */
function assertRefused(verification: () => unknown): void {
  let accepted: unknown;
  try {
    accepted = verification();
  } catch (error) {
    if (error instanceof WebhookVerificationError) return;
    throw error;
  }
  throw new Error(`It was accepted: ${JSON.stringify(accepted)}`);
}

describe('what the platform signs', () => {
  const SECONDS = 1_774_000_000;
  const clock = { now: () => new Date(SECONDS * 1000) };
  const secrets = fc.uint8Array({ minLength: 1, maxLength: 64 }).map((key) => {
    return `whsec_${Buffer.from(key).toString('base64')}`;
  });
  const text = fc.string({ unit: 'binary' });
  const json = fc.dictionary(text, fc.jsonValue({ stringUnit: 'binary' })).map((value) => JSON.stringify(value));
  /** Symmetric secrets make both signatures. */
  const signed = (body: string, ...by: string[]) => signerOf(by).headers(ID, SECONDS, body) as Required<SignedHeaders>;

  it('is verified by the SDK with each of its secrets; the signature that needs no JSON, whatever the body is', () => {
    fc.assert(
      fc.property(json, text, fc.array(secrets, { minLength: 1, maxLength: 3 }), (body, other, all) => {
        for (const secret of all) {
          expect(verifyWebhook(body, { ...signed(body, ...all) }, secret, clock)).toEqual(JSON.parse(body));
          const header = signed(other, ...all)['x-platform-signature'];
          expect(verifyTimestampedSignature(other, header, secret, clock)).toEqual({ signedAt: clock.now() });
        }
      }),
    );
  });

  it('is refused when one bit of the body, of the id, of the timestamp or of a signature differs', () => {
    fc.assert(
      fc.property(json, secrets, fc.nat(), (body, secret, position) => {
        const headers = signed(body, secret);
        const timestamped = headers['x-platform-signature'];
        // Node reads header values in this encoding.
        const flipped = (value: string) => flip(value, position).toString('latin1');
        assertRefused(() => verifyWebhook(flip(body, position), { ...headers }, secret, clock));
        assertRefused(() => verifyTimestampedSignature(flip(body, position), timestamped, secret, clock));
        assertRefused(() => verifyTimestampedSignature(body, flipped(timestamped), secret, clock));
        for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const) {
          const changed = { ...headers, [name]: flipped(headers[name]) };
          assertRefused(() => verifyWebhook(body, changed, secret, clock));
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('signing secrets', () => {
  const service = new SigningSecretService({ keyEncryptionKey: randomBytes(32).toString('base64') });
  const owner = { subscriptionId: '019ca8e0-4b7a-7d13-9c58-1e6f2a8d0b94' };
  const issue = (signature: 'v1' | 'v1a') => {
    const { sealed, publicKey, shown } = service.issue(signature, owner);
    return { sealed, publicKey, shown, secret: service.open(sealed, owner) };
  };

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
    for (const other of [{ appKey: 'acme' }, { subscriptionId: randomUUID() }])
      expect(() => service.open(sealed, other)).toThrow('another context');
    const ofApp = service.seal(secret, { appKey: 'acme' });
    expect(service.open(ofApp, { appKey: 'acme' })).toBe(secret);
    for (const other of [{ appKey: 'acme-2' }, owner])
      expect(() => service.open(ofApp, other)).toThrow('another context');
  });
});
