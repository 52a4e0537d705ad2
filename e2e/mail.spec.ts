import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '../scripts/demo/client.mjs';
import { api, newWorkspace, PASSWORD, signIn } from './platform/accounts.js';
import { addresses } from './platform/addresses.js';

interface Mail {
  to: { address: string }[];
  subject: string;
  text: string;
}

describe('an invitation', () => {
  it('goes out by mail, and its token lets the invited person in', async () => {
    const owner = await newWorkspace();
    const email = `invited-${randomBytes(5).toString('hex')}@example.test`;
    await api('POST', '/api/tenant/users', {
      token: owner.token,
      body: { email, name: 'Invited', roles: ['member'] },
      expect: 201,
    });
    const mail = await eventually(async () => {
      const mails = (await (await fetch(`${addresses.mailUrl}/api/email`)).json()) as Mail[];
      return mails.find(({ to }) => to.some(({ address }) => address === email));
    }, 'the mail');
    const token = /token=([A-Za-z0-9_.-]+)/.exec(mail.text)?.[1];
    expect(token).toBeDefined();
    const refused = await api('POST', '/api/auth/login', { body: { email, password: PASSWORD } });
    expect(refused.status).toBe(401);
    await api('POST', '/api/auth/invitations/accept', { body: { token, password: PASSWORD }, expect: 204 });
    expect(await signIn(email)).toMatch(/^ey/);
  });
});
