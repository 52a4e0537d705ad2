import { createHmac, createPublicKey, randomBytes, verify } from 'node:crypto';
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
  it('matches the test vector of Standard Webhooks', () => {
    const headers = signerOf([SECRET]).headers(ID, 1614265330, BODY);
    expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
    expect(headers['webhook-id']).toBe(ID);
    expect(headers['webhook-timestamp']).toBe('1614265330');
  });

  it('matches the test vector of its Go library for Ed25519', () => {
    expect(signerOf([PRIVATE_KEY]).headers(ID, 1614265330, BODY)).toEqual({
      'webhook-id': ID,
      'webhook-timestamp': '1614265330',
      'webhook-signature':
        'v1a,tQ9V2XOqn7jL/DQenEFpqIugdBVtiMmER5mhSkXBNwM0mkATuDe6KYYUuxqtaiHeYGb7KaaBRdM5WqyeFiL8Ag==',
    });
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

/** Symmetric secrets make both signatures. */
const signed = (secrets: readonly string[], id: string, seconds: number, body: string): Required<SignedHeaders> =>
  signerOf(secrets).headers(id, seconds, body) as Required<SignedHeaders>;

/** A request that is signed with one to three secrets, and the clock of its receiver. */
const signedRequest = fc
  .record({
    id: fc.stringMatching(/^[\w-]{1,40}$/),
    seconds: fc.integer({ min: 1_000_000_000, max: 9_999_999_999 }),
    body: fc
      .dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ stringUnit: 'binary' }))
      .map((value) => JSON.stringify(value)),
    keys: fc.array(fc.uint8Array({ minLength: 1, maxLength: 64 }), { minLength: 1, maxLength: 3 }),
    drift: fc.integer({ min: -300, max: 300 }),
  })
  .map(({ id, seconds, body, keys, drift }) => {
    const secrets = keys.map((key) => `whsec_${Buffer.from(key).toString('base64')}`);
    const now = () => new Date((seconds + drift) * 1000);
    return { id, seconds, body, secrets, now, headers: signed(secrets, id, seconds, body) };
  });

type SignedRequest = typeof signedRequest extends fc.Arbitrary<infer T> ? T : never;

/** The text with one bit of its UTF-8 bytes changed. */
function flip(text: string, position: number): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  const bit = position % (bytes.length * 8);
  bytes.writeUInt8(bytes.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
  return bytes;
}

/** As Node reads header values. */
const flippedHeader = (value: string, position: number): string => flip(value, position).toString('latin1');

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

const refusesWebhook = ({ secrets, now }: SignedRequest, body: string | Buffer, headers: SignedHeaders): void =>
  assertRefused(() => verifyWebhook(body, { ...headers }, secrets, { now }));

const refusesTimestamped = ({ secrets, now }: SignedRequest, body: string | Buffer, header: string): void =>
  assertRefused(() => verifyTimestampedSignature(body, header, secrets, { now }));

/** The same request with one signature only, so that a change leaves no other one that is valid. */
function singlySigned(request: SignedRequest): SignedRequest {
  const { id, seconds, body, secrets } = request;
  return { ...request, headers: signed(secrets.slice(0, 1), id, seconds, body) };
}

describe('what the platform signs', () => {
  it('is verified with each of its secrets, whatever the case of the header names', () => {
    fc.assert(
      fc.property(signedRequest, fc.infiniteStream(fc.boolean()), ({ body, secrets, now, headers }, cases) => {
        const renamed = Object.fromEntries(
          Object.entries(headers).map(([name, value]) => [
            [...name].map((letter) => (cases.next().value ? letter.toUpperCase() : letter)).join(''),
            value,
          ]),
        );
        for (const secret of secrets) {
          expect(verifyWebhook(body, renamed, secret, { now })).toEqual(JSON.parse(body));
          expect(verifyWebhook(Buffer.from(body), new Headers(renamed), [secret], { now })).toEqual(JSON.parse(body));
          verifyTimestampedSignature(body, headers['x-platform-signature'], secret, { now });
        }
      }),
    );
  });

  it('is verified whatever the body is, by the signature that needs no JSON', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.uint8Array({ minLength: 1 }), (body, key) => {
        const secret = `whsec_${Buffer.from(key).toString('base64')}`;
        const now = () => new Date(1_774_000_000_000);
        const header = signed([secret], 'id', 1_774_000_000, body)['x-platform-signature'];
        expect(verifyTimestampedSignature(body, header, secret, { now })).toEqual({ signedAt: now() });
      }),
    );
  });

  it('is refused when one bit of the body, of the id, of the timestamp or of a signature differs', () => {
    fc.assert(
      fc.property(signedRequest, fc.nat(), (given, position) => {
        const body = flip(given.body, position);
        refusesWebhook(given, body, given.headers);
        refusesTimestamped(given, body, given.headers['x-platform-signature']);
        const request = singlySigned(given);
        for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const) {
          const changed = flippedHeader(request.headers[name], position);
          refusesWebhook(request, request.body, { ...request.headers, [name]: changed });
        }
        const changed = flippedHeader(request.headers['x-platform-signature'], position);
        refusesTimestamped(request, request.body, changed);
      }),
      { numRuns: 500 },
    );
  });

  it('is refused with another secret and outside of 300 seconds', () => {
    fc.assert(
      fc.property(signedRequest, fc.integer({ min: 301, max: 1e9 }), fc.boolean(), (request, seconds, isOld) => {
        const { body, headers } = request;
        refusesWebhook({ ...request, secrets: ['whsec_b3RoZXIgc2VjcmV0IQ=='] }, body, headers);
        refusesTimestamped({ ...request, secrets: ['other'] }, body, headers['x-platform-signature']);
        const now = () => new Date((request.seconds + (isOld ? seconds : -seconds)) * 1000);
        refusesWebhook({ ...request, now }, body, headers);
        refusesTimestamped({ ...request, now }, body, headers['x-platform-signature']);
      }),
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
    expect(() => service.open(sealed, { appKey: 'acme' })).toThrow();
  });
});
