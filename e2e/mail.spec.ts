import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { api, newWorkspace, PASSWORD, signIn } from './platform/accounts.js';
import { mailTo } from './platform/mails.js';

describe('an invitation', () => {
  it('goes out by mail, and its token lets the invited person in', async () => {
    const owner = await newWorkspace();
    const email = `invited-${randomBytes(5).toString('hex')}@example.test`;
    await api('POST', '/api/tenant/users', {
      token: owner.token,
      body: { email, name: 'Invited', roles: ['member'] },
      expect: 201,
    });
    const mail = await mailTo(email, 'Invitation');
    const token = /token=([A-Za-z0-9_.-]+)/.exec(mail.text)?.[1];
    expect(token).toBeDefined();
    const refused = await api('POST', '/api/auth/login', { body: { email, password: PASSWORD } });
    expect(refused.status).toBe(401);
    await api('POST', '/api/auth/invitations/accept', { body: { token, password: PASSWORD }, expect: 204 });
    expect(await signIn(email)).toMatch(/^ey/);
  });
});

describe('a forgotten password', () => {
  it('is replaced with the link from a mail, a notice says so, and the device is known from then on', async () => {
    const { email } = await newWorkspace();
    const password = 'tidal-lantern-orbits-quietly';
    await api('POST', '/api/auth/password-resets', { body: { email }, expect: 202 });
    const { text } = await mailTo(email, 'Set a new password');
    const token = /password-reset#token=([A-Za-z0-9_.-]+)/.exec(text)?.[1];
    await api('POST', '/api/auth/password-resets/complete', { body: { token, password }, expect: 204 });
    await api('POST', '/api/auth/login', { body: { email, password: PASSWORD }, expect: 401 });
    const { headers } = await api('POST', '/api/auth/login', { body: { email, password }, expect: 200 });
    for (let count = 0; count < 10; count += 1) {
      await api('POST', '/api/auth/login', { body: { email, password: PASSWORD } });
    }
    await api('POST', '/api/auth/login', { body: { email, password }, expect: 429 });
    const device = { 'x-device-token': headers.get('x-device-token') ?? '' };
    await api('POST', '/api/auth/login', { body: { email, password }, headers: device, expect: 200 });
    expect((await mailTo(email, 'Your password was changed')).text).toContain('with a link from a mail');
  });
});
