import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { admin, api, newUser, newWorkspace, operatorToken, PASSWORD, signIn } from './platform/accounts.js';
import { mailsTo, mailTo } from './platform/mails.js';

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

describe('a workspace that operators suspend', () => {
  it('has its administrators told why, and again when it is reinstated; other people are told nothing', async () => {
    const owner = await newWorkspace();
    const colleague = await newUser(owner, 'admin');
    const member = await newUser(owner, 'member');
    const decide = async (decision: string, reason: string) =>
      admin('POST', `/api/admin/tenants/${owner.tenantId}/${decision}`, {
        token: await operatorToken(),
        body: { reason },
        expect: 200,
      });
    const told = async (subject: string, reason: string) => {
      for (const { email } of [owner, colleague]) {
        expect((await mailTo(email, subject)).text).toContain(`The reason given:\n\n  ${reason}\n`);
      }
    };
    await decide('suspend', 'It sends spam.');
    await told('The workspace Workspace was suspended', 'It sends spam.');
    await decide('suspend', 'Once more.');
    await decide('reinstate', 'The account had been stolen.');
    await told('The workspace Workspace was reinstated', 'The account had been stolen.');
    const subjects = (await mailsTo(owner.email)).map(({ subject }) => subject);
    expect(subjects.sort()).toEqual([
      'The workspace Workspace was reinstated',
      'The workspace Workspace was suspended',
    ]);
    expect(await mailsTo(member.email)).toEqual([]);
    const { text } = await mailTo(owner.email, 'The workspace Workspace was reinstated');
    // The page that the mail names is there.
    const page = /https?:\/\/\S+\/account\/sign-in/.exec(text)?.[0] ?? '';
    expect((await fetch(page)).status).toBe(200);
  });
});
