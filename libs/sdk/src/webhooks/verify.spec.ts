import { createHmac, createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { WebhookVerificationError, type WebhookVerificationReason } from './verification-error.js';
import { verifyTimestampedSignature } from './verify-timestamped-signature.js';
import { verifyWebhook } from './verify-webhook.js';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const OTHER_SECRET = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
const ID = '0197b2a4-3a1c-7e4d-9f1a-2b6f7b0d5c11';
const SECONDS = 1_774_000_000;
const BODY = JSON.stringify({
  id: ID,
  type: 'lead.created',
  timestamp: '2026-03-20T09:46:40.000Z',
  tenantId: '0197b2a4-0000-7000-8000-000000000001',
  data: { id: '0197b2a4-3a1c-7e4d-9f1a-2b6f7b0d5c12', version: 1, firstName: 'Zoë', lastName: 'Ångström' },
});
const now = () => new Date(SECONDS * 1000);

const signed = (body = BODY, secret = SECRET, id = ID, seconds = SECONDS) => ({
  'webhook-id': id,
  'webhook-timestamp': String(seconds),
  'webhook-signature': new Webhook(secret).sign(id, new Date(seconds * 1000), body),
});

function refusal(verification: () => unknown): WebhookVerificationError {
  try {
    verification();
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error;
    throw error;
  }
  throw new Error('It was accepted');
}

const reasonOf = (verification: () => unknown): WebhookVerificationReason => refusal(verification).reason;

/** A timestamped signature of another kind: over seconds and body. */
const mac = (secret = SECRET, seconds: number | string = SECONDS) =>
  createHmac('sha256', secret).update(`${seconds}.${BODY}`).digest('hex');
const header = (secret = SECRET, seconds = SECONDS) => `t=${seconds},v1=${mac(secret, seconds)}`;

describe.each([
  [
    'verifyWebhook',
    (seconds: number, clock = now) =>
      verifyWebhook(BODY, signed(BODY, SECRET, ID, seconds), SECRET, { now: clock }).id === ID && seconds,
  ],
  [
    'verifyTimestampedSignature',
    (seconds: number, clock = now) =>
      verifyTimestampedSignature(BODY, header(SECRET, seconds), SECRET, { now: clock }).signedAt.getTime() / 1000,
  ],
])('the clock of %s', (_name, verifyAt) => {
  it('accepts a timestamp that differs by exactly 300 seconds in either direction, and none beyond', () => {
    for (const seconds of [SECONDS - 300, SECONDS + 300]) expect(verifyAt(seconds)).toBe(seconds);
    expect(reasonOf(() => verifyAt(SECONDS - 301))).toBe('timestamp_too_old');
    expect(reasonOf(() => verifyAt(SECONDS + 301))).toBe('timestamp_too_new');
    expect(verifyAt(SECONDS, () => new Date(SECONDS * 1000 + 300_999))).toBe(SECONDS);
  });
});

describe('verifyWebhook', () => {
  it('returns the event, whose data is narrowed by its type', () => {
    const event = verifyWebhook(BODY, signed(), SECRET, { now });
    expect(event.id).toBe(ID);
    expect(event.type === 'lead.created' && event.data.lastName).toBe('Ångström');
  });

  it('accepts the body as text, as bytes and as a view into a larger buffer', () => {
    const bytes = Buffer.from(BODY);
    const larger = Buffer.concat([Buffer.from('before'), bytes, Buffer.from('after')]);
    const view = larger.subarray(6, 6 + bytes.length);
    const bodies = [BODY, bytes, new Uint8Array(bytes), new Uint8Array(bytes).buffer, view];
    for (const body of bodies) expect(verifyWebhook(body, signed(), SECRET, { now }).id).toBe(ID);
  });

  it('accepts headers as a plain object in any case, as Node gives them, and as Fetch headers', () => {
    const headers = signed();
    const upperCase = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
    const fromNode: IncomingHttpHeaders = { host: 'receiver.example.com', 'set-cookie': ['a=1', 'b=2'], ...headers };
    const inLists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
    for (const form of [headers, upperCase, fromNode, inLists, new Headers(headers), new Headers(upperCase)]) {
      expect(verifyWebhook(BODY, form, SECRET, { now }).id).toBe(ID);
    }
  });

  it('uses the clock of the machine when none is given', () => {
    const seconds = Math.floor(Date.now() / 1000);
    const at = (time: number) => verifyWebhook(BODY, signed(BODY, SECRET, ID, time), SECRET).id;
    expect(at(seconds)).toBe(ID);
    expect(reasonOf(() => at(seconds - 400))).toBe('timestamp_too_old');
  });

  it('accepts nothing by a clock that does not work', () => {
    expect(() => verifyWebhook(BODY, signed(), SECRET, { now: () => new Date(Number.NaN) })).toThrow(TypeError);
  });

  it('accepts each of several secrets, and one matching signature among several', () => {
    const both = `${signed()['webhook-signature']} ${signed(BODY, OTHER_SECRET)['webhook-signature']}`;
    expect(verifyWebhook(BODY, signed(), [OTHER_SECRET, SECRET], { now }).id).toBe(ID);
    for (const secret of [SECRET, OTHER_SECRET]) {
      expect(verifyWebhook(BODY, { ...signed(), 'webhook-signature': both }, secret, { now }).id).toBe(ID);
    }
    expect(reasonOf(() => verifyWebhook(BODY, signed(), OTHER_SECRET, { now }))).toBe('no_matching_signature');
  });

  it.each<[WebhookVerificationReason, Record<string, string | string[] | undefined>]>([
    ['missing_header', { 'webhook-id': undefined }],
    ['missing_header', { 'webhook-timestamp': '' }],
    ['missing_header', { 'webhook-signature': undefined }],
    ['malformed_header', { 'webhook-id': `${ID}.1` }],
    ['malformed_header', { 'Webhook-Id': 'another' }],
    ['malformed_header', { 'webhook-timestamp': [String(SECONDS), String(SECONDS)] }],
    ['malformed_header', { 'webhook-timestamp': `${SECONDS}.0` }],
    ['malformed_header', { 'webhook-timestamp': 'yesterday' }],
    ['malformed_header', { 'webhook-timestamp': `-${SECONDS}` }],
    ['malformed_header', { 'webhook-timestamp': '9'.repeat(400) }],
    ['malformed_header', { 'webhook-signature': 'v1' }],
    ['malformed_header', { 'webhook-signature': 'v1,' }],
    ['malformed_header', { 'webhook-signature': Array(17).fill('v1,AAAA').join(' ') }],
    ['no_matching_signature', { 'webhook-signature': 'v2,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=' }],
    ['no_matching_signature', { 'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=' }],
    ['no_matching_signature', { 'webhook-id': 'another' }],
    ['no_matching_signature', { 'webhook-timestamp': String(SECONDS + 1) }],
    ['no_matching_signature', { 'webhook-timestamp': `0${SECONDS}` }],
  ])('refuses with %s the headers %j', (reason, changed) => {
    const error = refusal(() => verifyWebhook(BODY, { ...signed(), ...changed }, SECRET, { now }));
    expect(error.reason).toBe(reason);
    expect(error.httpStatus).toBe(reason === 'no_matching_signature' ? 401 : 400);
  });

  it('refuses a body that was parsed and serialised again', () => {
    const again = JSON.stringify(JSON.parse(BODY), null, 2);
    expect(reasonOf(() => verifyWebhook(again, signed(), SECRET, { now }))).toBe('no_matching_signature');
  });

  it('says what is wrong when it gets a parsed body or none', () => {
    const parsed = JSON.parse(BODY);
    const error = refusal(() => verifyWebhook(parsed, signed(), SECRET, { now }));
    expect([error.reason, error.httpStatus]).toEqual(['body_not_raw', 500]);
    for (const none of [undefined, null]) {
      expect(reasonOf(() => verifyWebhook(none, signed(), SECRET, { now }))).toBe('missing_body');
    }
  });

  it.each(['', 'not JSON', '[]', '"text"', 'null', '42'])(
    'refuses the signed body %j, which is not an object',
    (body) => expect(reasonOf(() => verifyWebhook(body, signed(body), SECRET, { now }))).toBe('body_not_json'),
  );

  it('refuses a signed body that is not UTF-8 instead of replacing characters', () => {
    const body = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]);
    const { privateKey, key } = ed25519();
    const headers = signedByKey(privateKey, body);
    expect(reasonOf(() => verifyWebhook(body, headers, key, { now }))).toBe('body_not_json');
  });

  it.each<[string, unknown]>([
    ['No secret was passed', []],
    ['The secret is empty', ''],
    ['The secret is not a string', undefined],
    ['Secret 2 of 2 is not a string', [SECRET, undefined]],
    ['The secret must start with "whsec_" or "whpk_"', 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    ['The secret has nothing after "whsec_"', 'whsec_'],
    ['The secret isn\'t base64 after "whsec_". Check that it is complete and has no spaces', `${SECRET}\n`],
    ['The secret isn\'t base64 after "whsec_". Check that it is complete and has no spaces', SECRET.slice(0, -1)],
    ['The secret is not the base64 of 32 bytes after "whpk_"', 'whpk_AAAA'],
    ['The secret is a private key. Use the public key, "whpk_…"', 'whsk_AAAA'],
  ])('says of a wrong configuration: %s', (message, secrets) => {
    const error = refusal(() => verifyWebhook(BODY, signed(), secrets as string, { now }));
    expect([error.reason, error.httpStatus, error.message]).toEqual(['malformed_secret', 500, message]);
  });

  it('puts neither secret, nor signature, nor body into an error', () => {
    const headers = signed(BODY, OTHER_SECRET);
    const errors = [
      refusal(() => verifyWebhook(BODY, headers, SECRET, { now })),
      refusal(() => verifyWebhook('no {JSON}', signed('no {JSON}'), SECRET, { now })),
      refusal(() => verifyWebhook(BODY, headers, SECRET.slice(0, -1), { now })),
    ];
    for (const error of errors) {
      const text = `${error.stack}${JSON.stringify(error)}${String(error.cause)}`;
      for (const kept of [SECRET.slice(6, -1), signed()['webhook-signature'].slice(3), 'no {JSON}']) {
        expect(text).not.toContain(kept);
      }
    }
  });

  it('verifies Ed25519 signatures with a public key, alone and beside a shared secret', () => {
    const { privateKey, key } = ed25519();
    const headers = signedByKey(privateKey, Buffer.from(BODY));
    const signatures = `${signed()['webhook-signature']} ${headers['webhook-signature']}`;
    const both = { ...headers, 'webhook-signature': signatures };
    expect(verifyWebhook(BODY, headers, key, { now }).id).toBe(ID);
    for (const secrets of [key, SECRET, [key, OTHER_SECRET], [ed25519().key, SECRET]]) {
      expect(verifyWebhook(BODY, both, secrets, { now }).id).toBe(ID);
    }
    expect(reasonOf(() => verifyWebhook(BODY, headers, ed25519().key, { now }))).toBe('no_matching_signature');
    expect(reasonOf(() => verifyWebhook(`${BODY} `, headers, key, { now }))).toBe('no_matching_signature');
    expect(refusal(() => verifyWebhook(BODY, headers, SECRET, { now })).message).toContain('"v1a" needs "whpk_…"');
  });

  it('does not accept a public key as the secret of an HMAC', () => {
    const { key } = ed25519();
    const forged = signed(BODY, key.replace('whpk_', 'whsec_'));
    const relabelled = forged['webhook-signature'].replace('v1,', 'v1a,');
    for (const signature of [forged['webhook-signature'], relabelled]) {
      const headers = { ...forged, 'webhook-signature': signature };
      expect(reasonOf(() => verifyWebhook(BODY, headers, key, { now }))).toBe('no_matching_signature');
    }
  });
});

describe('verifyTimestampedSignature', () => {
  it('returns when the request was signed', () => {
    expect(verifyTimestampedSignature(BODY, header(), SECRET, { now })).toEqual({ signedAt: now() });
    expect(verifyTimestampedSignature(Buffer.from(BODY), [header()], SECRET, { now })).toEqual({ signedAt: now() });
  });

  it('matches a value that was computed with OpenSSL', () => {
    // printf '1614265330.{"test": 2432232314}' | openssl dgst -sha256 -hmac 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
    const known = 't=1614265330,v1=2e37df5d4a028c51a7f3133d64ae1e300d2c2c900f1b1d49d4369ad2530f8964';
    const at = { now: () => new Date(1_614_265_330_000) };
    expect(verifyTimestampedSignature('{"test": 2432232314}', known, SECRET, at).signedAt).toEqual(at.now());
  });

  it('accepts each of several secrets, and one matching signature among several', () => {
    const both = `t=${SECONDS},v1=${mac('new')},v1=${mac('old')}`;
    for (const secrets of ['new', 'old', ['other', 'old']]) {
      expect(verifyTimestampedSignature(BODY, both, secrets, { now }).signedAt).toEqual(now());
    }
    const refused = () => verifyTimestampedSignature(BODY, both, 'other', { now });
    expect(reasonOf(refused)).toBe('no_matching_signature');
  });

  it('ignores members with other names, and white space after commas', () => {
    const given = `t=${SECONDS}, v0=abc, v1=${mac()}`;
    expect(verifyTimestampedSignature(BODY, given, SECRET, { now }).signedAt).toEqual(now());
  });

  it.each<[WebhookVerificationReason, string | string[] | null | undefined]>([
    ['missing_header', undefined],
    ['missing_header', null],
    ['missing_header', ''],
    ['missing_header', []],
    ['malformed_header', [header(), header()]],
    ['malformed_header', 'nonsense'],
    ['malformed_header', `v1=${mac()}`],
    ['malformed_header', `t=${SECONDS}`],
    ['malformed_header', `t=${SECONDS},t=${SECONDS},v1=${mac()}`],
    ['malformed_header', `t=now,v1=${mac(SECRET, 'now')}`],
    ['malformed_header', `t=${SECONDS}${',v1=00'.repeat(17)}`],
    ['no_matching_signature', `t=${SECONDS},v1=`],
    ['no_matching_signature', `t=${SECONDS},v1=${mac().toUpperCase()}`],
    ['no_matching_signature', `t=${SECONDS},v0=${mac()},v1=${mac('other')}`],
    ['no_matching_signature', `t=${SECONDS + 1},v1=${mac()}`],
  ])('refuses with %s the header %j', (reason, given) => {
    expect(refusal(() => verifyTimestampedSignature(BODY, given, SECRET, { now })).reason).toBe(reason);
  });

  it('refuses a body that was changed, parsed or parsed and serialised again', () => {
    const reasonOf = (body: unknown) =>
      refusal(() => verifyTimestampedSignature(body as string, header(), SECRET, { now })).reason;
    expect(reasonOf(BODY.replace('1', '2'))).toBe('no_matching_signature');
    expect(reasonOf(JSON.stringify(JSON.parse(BODY), null, 2))).toBe('no_matching_signature');
    expect(reasonOf(JSON.parse(BODY))).toBe('body_not_raw');
    expect(reasonOf(undefined)).toBe('missing_body');
  });

  it('refuses to work without a secret, and names none in its messages', () => {
    for (const secrets of ['', [], ['first', '']]) {
      const refused = () => verifyTimestampedSignature(BODY, header(), secrets, { now });
      expect(reasonOf(refused)).toBe('malformed_secret');
    }
    const error = refusal(() => verifyTimestampedSignature(BODY, header('other'), SECRET, { now }));
    expect(`${error.stack}${JSON.stringify(error)}`).not.toMatch(new RegExp(`${SECRET}|${mac()}`));
  });
});

// The values are those of the tests of the reference libraries: libraries/javascript/src/webhook.test.ts and
// libraries/go/webhook_asymmetric_test.go of github.com/standard-webhooks/standard-webhooks.
const KNOWN_ID = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
const KNOWN_SECONDS = 1_614_265_330;
const KNOWN_BODY = '{"test": 2432232314}';
const V1 = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';
const ED25519_SEED = 'VEVTVFNJR05JTkdLRVlET05PVFVTRVRISVNGT1JBTlk=';
const V1A = 'v1a,tQ9V2XOqn7jL/DQenEFpqIugdBVtiMmER5mhSkXBNwM0mkATuDe6KYYUuxqtaiHeYGb7KaaBRdM5WqyeFiL8Ag==';

const headersWith = (signature: string) => ({
  'webhook-id': KNOWN_ID,
  'webhook-timestamp': String(KNOWN_SECONDS),
  'webhook-signature': signature,
});

const known = (headers: ReturnType<typeof headersWith>, secret: string) =>
  verifyWebhook(KNOWN_BODY, headers, secret, { now: () => new Date(KNOWN_SECONDS * 1000) });

describe('Standard Webhooks', () => {
  it('verifies the test vector of v1', () => expect(known(headersWith(V1), SECRET)).toEqual({ test: 2432232314 }));

  it('verifies the test vector of v1a', () => {
    const head = Buffer.from('302e020100300506032b657004220420', 'hex');
    const der = Buffer.concat([head, Buffer.from(ED25519_SEED, 'base64')]);
    const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
    const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
    const key = `whpk_${Buffer.from(x, 'base64url').toString('base64')}`;
    expect(known(headersWith(V1A), key)).toEqual({ test: 2432232314 });
  });

  it('finds the valid one among several signatures', () => {
    const other = 'Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc=';
    const signatures = `v1,${other} v2,${other} ${V1} v1,${other}`;
    expect(known(headersWith(signatures), SECRET)).toEqual({ test: 2432232314 });
  });

  it('judges every request as the reference library does', () => {
    // The library has no clock to set, so these requests are signed around the time of the test, well away from the limit.
    const verdict = (verification: () => unknown): string => {
      try {
        return JSON.stringify(verification());
      } catch {
        return 'refused';
      }
    };
    const change = fc.constantFrom('none', 'body', 'id', 'timestamp', 'signature', 'secret', 'no signature');
    let accepted = 0;
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1, maxLength: 64 }),
        fc.stringMatching(/^[\w-]{1,40}$/),
        fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue()),
        fc.integer({ min: -600, max: 600 }).filter((offset) => Math.abs(Math.abs(offset) - 300) > 60),
        change,
        (key, id, value, offset, changed) => {
          const secret = `whsec_${Buffer.from(key).toString('base64')}`;
          const body = JSON.stringify(value);
          const at = new Date(Date.now() + offset * 1000);
          const seconds = Math.floor(at.getTime() / 1000);
          const headers = {
            'webhook-id': changed === 'id' ? `${id}x` : id,
            'webhook-timestamp': String(changed === 'timestamp' ? seconds + 1 : seconds),
            'webhook-signature': `v1,AAAA v1a,AAAA ${
              changed === 'no signature'
                ? 'v2,AAAA'
                : new Webhook(secret).sign(id, at, body).slice(0, changed === 'signature' ? -2 : undefined)
            }`,
          };
          const received = changed === 'body' ? `${body} ` : body;
          const used = changed === 'secret' ? `whsec_${Buffer.from([...key, 1]).toString('base64')}` : secret;
          const ours = verdict(() => verifyWebhook(received, headers, used));
          expect(ours).toBe(verdict(() => new Webhook(used).verify(received, headers)));
          if (ours !== 'refused') accepted += 1;
        },
      ),
      { numRuns: 500 },
    );
    expect(accepted).toBeGreaterThan(10);
  });
});

function ed25519() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
  return { privateKey, key: `whpk_${raw.toString('base64')}` };
}

function signedByKey(privateKey: ReturnType<typeof ed25519>['privateKey'], body: Buffer) {
  const content = Buffer.concat([Buffer.from(`${ID}.${SECONDS}.`), body]);
  return {
    'webhook-id': ID,
    'webhook-timestamp': String(SECONDS),
    'webhook-signature': `v1a,${sign(null, content, privateKey).toString('base64')}`,
  };
}
