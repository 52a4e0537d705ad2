import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { signerOf } from './signature.js';

const ID = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
const BODY = '{"test": 2432232314}';

describe('the signature of a delivery', () => {
  it('matches the test vector of Standard Webhooks', () => {
    const headers = signerOf(['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw']).headers(ID, 1614265330, BODY);
    expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
    expect(headers['webhook-id']).toBe(ID);
    expect(headers['webhook-timestamp']).toBe('1614265330');
  });

  it('also signs timestamp and body with the text of the whole secret', () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const mac = createHmac('sha256', secret).update(`1614265330.${BODY}`).digest('hex');
    expect(signerOf([secret]).headers(ID, 1614265330, BODY)['x-platform-signature']).toBe(`t=1614265330,v1=${mac}`);
  });

  it('carries a signature for each valid secret during a rotation', () => {
    const headers = signerOf(['whsec_AAAA', 'whsec_BBBB']).headers(ID, 1, BODY);
    expect(headers['webhook-signature'].split(' ')).toHaveLength(2);
    expect(headers['x-platform-signature'].match(/v1=/g)).toHaveLength(2);
  });
});
