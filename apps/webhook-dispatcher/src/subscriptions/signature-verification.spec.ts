import { verifyTimestampedSignature, verifyWebhook, WebhookVerificationError } from '@crm/sdk';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type SignedHeaders, signerOf } from './signature.js';

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

  it('is refused when one bit of the body differs', () => {
    fc.assert(
      fc.property(signedRequest, fc.nat(), (request, position) => {
        const body = flip(request.body, position);
        refusesWebhook(request, body, request.headers);
        refusesTimestamped(request, body, request.headers['x-platform-signature']);
      }),
    );
  });

  it('is refused when one bit of the id, of the timestamp or of a signature differs', () => {
    fc.assert(
      fc.property(signedRequest.map(singlySigned), fc.nat(), (request, position) => {
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
