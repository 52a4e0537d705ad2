import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { WebhookVerificationError, type WebhookVerificationReason } from './verification-error.js';
import { verifyTimestampedSignature } from './verify-timestamped-signature.js';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const SECONDS = 1_774_000_000;
const BODY = '{"id":"1","name":"Zoë"}';
const now = () => new Date(SECONDS * 1000);

const mac = (secret = SECRET, seconds: number | string = SECONDS, body = BODY) =>
  createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
const header = (secret = SECRET, seconds = SECONDS, body = BODY) => `t=${seconds},v1=${mac(secret, seconds, body)}`;

function refusal(verification: () => unknown): WebhookVerificationError {
  try {
    verification();
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error;
    throw error;
  }
  throw new Error('It was accepted');
}

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

  it('accepts a timestamp that differs by exactly 300 seconds in either direction, and none beyond', () => {
    const at = (seconds: number) => () => verifyTimestampedSignature(BODY, header(SECRET, seconds), SECRET, { now });
    expect(at(SECONDS - 300)().signedAt.getTime()).toBe((SECONDS - 300) * 1000);
    expect(at(SECONDS + 300)().signedAt.getTime()).toBe((SECONDS + 300) * 1000);
    expect(refusal(at(SECONDS - 301)).reason).toBe('timestamp_too_old');
    expect(refusal(at(SECONDS + 301)).reason).toBe('timestamp_too_new');
  });

  it('accepts each of several secrets, and one matching signature among several', () => {
    const both = `t=${SECONDS},v1=${mac('new')},v1=${mac('old')}`;
    for (const secrets of ['new', 'old', ['other', 'old']]) {
      expect(verifyTimestampedSignature(BODY, both, secrets, { now }).signedAt).toEqual(now());
    }
    expect(refusal(() => verifyTimestampedSignature(BODY, both, 'other', { now })).reason).toBe(
      'no_matching_signature',
    );
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
      expect(refusal(() => verifyTimestampedSignature(BODY, header(), secrets, { now })).reason).toBe(
        'malformed_secret',
      );
    }
    const error = refusal(() => verifyTimestampedSignature(BODY, header('other'), SECRET, { now }));
    expect(`${error.stack}${JSON.stringify(error)}`).not.toMatch(new RegExp(`${SECRET}|${mac()}`));
  });
});
