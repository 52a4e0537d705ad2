import { describe, expect, it } from '@jest/globals';
import { isPermanentRefusal } from './mail.worker.js';

/** Returns whether what a server said, such as `DATA: 552 too big`, is taken for a refusal of the mail. */
function isRefusal(said: string): boolean {
  const [command, response = ''] = said.split(/: (.*)/s);
  return isPermanentRefusal({ command, response, responseCode: Number(response.slice(0, 3)) });
}

describe('isPermanentRefusal', () => {
  it.each([
    'RCPT TO: 550 no such user',
    'RCPT TO: 550 5.1.1 <a@b.example>: Recipient address rejected: User unknown in relay recipient table',
    'RCPT TO: 550-5.1.1 The email account that you tried to reach does not exist.\n550 5.1.1 Try again.',
    'RCPT TO: 550 5.4.1 Recipient address rejected',
    'RCPT TO: 554 5.2.1 mailbox disabled',
    'RCPT TO: 501 5.1.3 bad address syntax',
    'RCPT TO: 552 5.2.2 mailbox full',
    'RCPT TO: 556 domain takes no mail',
    'DATA: 552 5.3.4 message too big',
    'DATA: 554 5.6.0 content refused',
    'DATA: 554 content refused',
  ])('takes %s for a refusal of the mail', (said) => {
    expect(isRefusal(said)).toBe(true);
  });

  it.each([
    'RCPT TO: 450 mailbox busy',
    'RCPT TO: 530 5.7.0 Authentication required',
    'RCPT TO: 530 Must issue a STARTTLS command first',
    'RCPT TO: 535 5.7.8 credentials invalid',
    'RCPT TO: 554 5.7.1 <a@b.example>: Relay access denied',
    'RCPT TO: 554 <a@b.example>: Relay access denied',
    'RCPT TO: 554 Service unavailable; client host blocked',
    'RCPT TO: 550 5.7.1 Client host rejected: cannot find your hostname',
    'RCPT TO: 550-5.7.26 This mail is unauthenticated\n550 5.7.26 and refused.',
    'RCPT TO: 550 5.1.8 <us@here.example>: Sender address rejected: Domain not found',
    'RCPT TO: 550 relay not permitted',
    'RCPT TO: 550 Authentication is required for relaying',
    'RCPT TO: 503 5.5.1 need MAIL command',
    'DATA: 554 5.7.1 refused by policy',
    'DATA: 554 5.3.0 system not available',
    'AUTH PLAIN: 535 wrong password of ours',
    'MAIL FROM: 550 sender not allowed',
    'CONN: 554 service not available',
  ])('does not take %s for a refusal of the mail', (said) => {
    expect(isRefusal(said)).toBe(false);
  });

  it('does not take a missing reply for a refusal of the mail', () => {
    expect(isPermanentRefusal({ code: 'ECONNREFUSED', command: 'CONN' })).toBe(false);
    expect(isPermanentRefusal(undefined)).toBe(false);
  });
});
