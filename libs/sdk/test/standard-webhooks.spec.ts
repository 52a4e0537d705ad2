import { createPrivateKey, createPublicKey } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook } from '../src/index.js';

// The values are those of the tests of the reference libraries: libraries/javascript/src/webhook.test.ts and
// libraries/go/webhook_asymmetric_test.go of github.com/standard-webhooks/standard-webhooks.
const ID = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
const SECONDS = 1_614_265_330;
const BODY = '{"test": 2432232314}';
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const V1 = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';
const ED25519_SEED = 'VEVTVFNJR05JTkdLRVlET05PVFVTRVRISVNGT1JBTlk=';
const V1A = 'v1a,tQ9V2XOqn7jL/DQenEFpqIugdBVtiMmER5mhSkXBNwM0mkATuDe6KYYUuxqtaiHeYGb7KaaBRdM5WqyeFiL8Ag==';

const headersWith = (signature: string) => ({
  'webhook-id': ID,
  'webhook-timestamp': String(SECONDS),
  'webhook-signature': signature,
});
const now = () => new Date(SECONDS * 1000);

describe('Standard Webhooks', () => {
  it('verifies the test vector of v1', () => {
    expect(verifyWebhook(BODY, headersWith(V1), SECRET, { now })).toEqual({ test: 2432232314 });
  });

  it('verifies the test vector of v1a', () => {
    const head = Buffer.from('302e020100300506032b657004220420', 'hex');
    const privateKey = createPrivateKey({
      key: Buffer.concat([head, Buffer.from(ED25519_SEED, 'base64')]),
      format: 'der',
      type: 'pkcs8',
    });
    const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
    const key = `whpk_${Buffer.from(x, 'base64url').toString('base64')}`;
    expect(verifyWebhook(BODY, headersWith(V1A), key, { now })).toEqual({ test: 2432232314 });
  });

  it('finds the valid one among several signatures', () => {
    const other = 'Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc=';
    const signatures = `v1,${other} v2,${other} ${V1} v1,${other}`;
    expect(verifyWebhook(BODY, headersWith(signatures), SECRET, { now })).toEqual({ test: 2432232314 });
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
