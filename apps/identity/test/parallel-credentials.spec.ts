import { waitUntil } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MAILS_PER_ACCOUNT } from '../src/accounts/limits.js';
import { FREE_TRIES } from '../src/sign-in/guess-limits.js';
import { protectedAccount } from './authenticators.js';
import { principalOf } from './checks.js';
import { EmbedHost, mintAt } from './embed-host.js';
import { type Account, NEW_PASSWORD, newEmail, PASSWORD } from './identity.js';
import { MailServer } from './mail-server.js';
import { from, TestReplicas, tally } from './replicas.js';

// What can be used once, used many times at the same moment at two replicas.

const AT_ONCE = 30;

let mailServer: MailServer;
let replicas: TestReplicas;
beforeAll(async () => {
  mailServer = await MailServer.start();
  const hashPool = { queueLength: 1_000, queueMs: 20_000 };
  replicas = await TestReplicas.start({ smtpUrl: mailServer.url, hashPool });
});
afterAll(async () => {
  await replicas?.close();
  await mailServer?.close();
});

const account = () => replicas.first.account();
const openSessions = async ({ tenantId }: Account) =>
  (await replicas.first.query(tenantId, 'SELECT id FROM session')).length;
const tokenIn = (text: string) => /#token=([\w.-]+)/.exec(text)?.[1] ?? '';

describe('a refresh token', () => {
  it('presented many times at once has one successor, whose chain goes on', async () => {
    const owner = await account();
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, index) =>
        replicas.post('/api/auth/refresh', { refreshToken: owner.refreshToken }, from(index)),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const successors = new Set(answers.map(({ body }) => body.refreshToken));
    expect(successors.size).toBe(1);
    expect(await openSessions(owner)).toBe(1);
    const [refreshToken = ''] = successors;
    const next = await replicas.post('/api/auth/refresh', { refreshToken });
    expect(next.status).toBe(200);
    const last = await replicas.post('/api/auth/refresh', { refreshToken: next.body.refreshToken });
    expect(last.status).toBe(200);
  });

  it('that was spent ends the chain, however often it is presented at once with its successors', async () => {
    const owner = await account();
    const { body: next } = await replicas.post('/api/auth/refresh', { refreshToken: owner.refreshToken });
    const { body: last } = await replicas.post('/api/auth/refresh', { refreshToken: next.refreshToken });
    const spent = await replicas.storm(AT_ONCE, '/api/auth/refresh', () => ({ refreshToken: owner.refreshToken }));
    expect(tally(spent)).toEqual({ 401: AT_ONCE });
    expect((await replicas.post('/api/auth/refresh', { refreshToken: last.refreshToken })).status).toBe(401);
    expect(await openSessions(owner)).toBe(0);
  });
});

describe('codes of a second factor', () => {
  const challengeOf = async (email: string) => (await replicas.login(email)).body.challengeId;
  /** Whoever has guessed waits; in a test the wait is over. */
  const endWait = (tenantId: string) => replicas.first.query(tenantId, 'DELETE FROM code_guess');

  it('guessed from many addresses at once get no more tries than one by one, over all challenges', async () => {
    const { account: owner, app } = await protectedAccount(replicas.first);
    const code = app.wrongCode();
    const guess = async () => {
      const challengeId = await challengeOf(owner.email);
      return tally(await replicas.storm(100, '/api/auth/mfa/verify', () => ({ challengeId, code })));
    };
    expect(await guess()).toEqual({ 401: FREE_TRIES, 429: 100 - FREE_TRIES });
    // Another challenge is not another allowance.
    expect(await guess()).toEqual({ 429: 100 });
    expect(await replicas.first.query(owner.tenantId, 'SELECT tries FROM code_guess')).toEqual([{ tries: FREE_TRIES }]);
    await endWait(owner.tenantId);
    const right = { challengeId: await challengeOf(owner.email), code: await app.freshCode() };
    expect((await replicas.post('/api/auth/mfa/verify', right)).status).toBe(200);
  });

  it('that are recovery codes work once, in however many sign-ins at the same time', async () => {
    const { account: owner, recoveryCodes } = await protectedAccount(replicas.first);
    const challengeId = await challengeOf(owner.email);
    const before = await openSessions(owner);
    const statuses = await replicas.storm(AT_ONCE, '/api/auth/mfa/verify', () => ({
      challengeId,
      code: recoveryCodes[0],
    }));
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(await openSessions(owner)).toBe(before + 1);
    await endWait(owner.tenantId);
    const again = { challengeId: await challengeOf(owner.email), code: recoveryCodes[0] };
    expect((await replicas.post('/api/auth/mfa/verify', again)).status).toBe(401);
  });

  it('that are recovery codes prove one of many sessions at the same time', async () => {
    const { account: owner, recoveryCodes } = await protectedAccount(replicas.first);
    const statuses = await Promise.all(
      Array.from({ length: AT_ONCE }, async (_, index) => {
        const body = { code: recoveryCodes[1] };
        const headers = { ...from(index), authorization: `Bearer ${owner.accessToken}` };
        return (await replicas.post('/api/auth/step-up', body, headers)).status;
      }),
    );
    expect(statuses.filter((status) => status === 204)).toHaveLength(1);
  });

  it('that came by mail work once', async () => {
    const owner = await account();
    await replicas.first.setSecondFactor(owner.accessToken, true);
    const since = mailServer.mails.length;
    const challengeId = await challengeOf(owner.email);
    const code = /code is (\d{6})/.exec((await mailServer.mailTo(owner.email, since)).text)?.[1];
    const before = await openSessions(owner);
    const statuses = await replicas.storm(AT_ONCE, '/api/auth/mfa/verify', () => ({ challengeId, code }));
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(await openSessions(owner)).toBe(before + 1);
  });
});

describe('a link of a mail', () => {
  it('that sets a new password sets one, and the first one set stays', async () => {
    const { email } = await account();
    await replicas.post('/api/auth/password-resets', { email });
    const token = tokenIn((await mailServer.mailTo(email)).text);
    const passwords = Array.from({ length: AT_ONCE }, (_, index) => `${NEW_PASSWORD}-${index}`);
    const statuses = await replicas.storm(AT_ONCE, '/api/auth/password-resets/complete', (index) => ({
      token,
      password: passwords[index],
    }));
    expect(tally(statuses)).toEqual({ 204: 1, 410: AT_ONCE - 1 });
    expect((await replicas.login(email, passwords[statuses.indexOf(204)])).status).toBe(200);
  });

  it('is one of several that set a new password, of which one does', async () => {
    const { email } = await account();
    const since = mailServer.mails.length;
    for (let count = 0; count < MAILS_PER_ACCOUNT; count += 1) {
      await replicas.post('/api/auth/password-resets', { email }, from(count));
    }
    const links = () => mailServer.mails.slice(since).filter(({ to }) => to === email);
    await waitUntil(() => links().length === MAILS_PER_ACCOUNT, { describe: 'the mails', timeoutMs: 10_000 });
    const tokens = links().map(({ text }) => tokenIn(text));
    const statuses = await replicas.storm(AT_ONCE, '/api/auth/password-resets/complete', (index) => ({
      token: tokens[index % tokens.length],
      password: NEW_PASSWORD,
    }));
    expect(tally(statuses)).toEqual({ 204: 1, 410: AT_ONCE - 1 });
  });

  it('that undoes the link to a host user does it once', async () => {
    const host = await EmbedHost.start(replicas.first);
    const { email } = await replicas.first.member(host.owner, ['viewer']);
    await host.mint({ email });
    const token = tokenIn((await mailServer.mailTo(email)).text);
    const statuses = await replicas.storm(AT_ONCE, '/api/auth/embed-links/undo', () => ({ token }));
    expect(tally(statuses)).toEqual({ 204: 1, 410: AT_ONCE - 1 });
  });

  it('that confirms or undoes another address does it once', async () => {
    const { email, accessToken } = await account();
    const wanted = newEmail();
    await replicas.first.post('/api/auth/email-change', { email: wanted, password: PASSWORD }, accessToken);
    const confirmation = tokenIn((await mailServer.mailTo(wanted)).text);
    const since = mailServer.mails.length;
    const confirmed = await replicas.storm(AT_ONCE, '/api/auth/email-change/confirm', () => ({ token: confirmation }));
    expect(tally(confirmed)).toEqual({ 204: 1, 410: AT_ONCE - 1 });
    const undo = tokenIn((await mailServer.mailTo(email, since)).text);
    const undone = await replicas.storm(AT_ONCE, '/api/auth/email-change/undo', () => ({ token: undo }));
    expect(tally(undone)).toEqual({ 204: 1, 410: AT_ONCE - 1 });
  });
});

describe('a host user', () => {
  it('for whom two replicas mint for the first time at once is one user, told once of the link', async () => {
    const host = await EmbedHost.start(replicas.first);
    const { email, userId } = await replicas.first.member(host.owner, ['viewer']);
    const since = mailServer.mails.length;
    const request = { ...host.credentials, sub: 'the same', email, name: 'Host user', scopes: ['leads' as const] };
    const minted = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, index) => {
        const replica = index % 2 === 0 ? replicas.first : replicas.second;
        return mintAt(replica, request);
      }),
    );
    const principals = await Promise.all(minted.map(({ embedToken }) => principalOf(replicas.first, embedToken)));
    expect(new Set(principals.map((principal) => principal.userId))).toEqual(new Set([userId]));
    expect(await replicas.first.query(host.owner.tenantId, 'SELECT 1 FROM embed_user')).toHaveLength(1);
    const waiting = () =>
      replicas.first.query(host.owner.tenantId, 'SELECT id FROM mail WHERE recipient = $1', [email]);
    await waitUntil(async () => (await waiting()).length === 0, {
      describe: 'the mails to be sent',
      timeoutMs: 10_000,
    });
    expect(mailServer.mails.slice(since).filter(({ to }) => to === email)).toHaveLength(1);
  });
});
