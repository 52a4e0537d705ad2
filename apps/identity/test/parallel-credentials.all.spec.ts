import { waitUntil } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FREE_TRIES } from '../src/guesses/code-guess.service.js';
import { MAILS_PER_ACCOUNT } from '../src/password-changes/password-reset-limit.js';
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
const refresh = (refreshToken: string, headers?: Record<string, string>) =>
  replicas.post('/api/auth/refresh', { refreshToken }, headers);
const verify = (challengeId: string, code?: string) => replicas.post('/api/auth/mfa/verify', { challengeId, code });
/** Uses something at once, again and again. @returns how often each status was answered */
const usedAtOnce = async (path: string, bodyOf: (index: number) => object) =>
  tally(await replicas.storm(AT_ONCE, path, bodyOf));
const ONCE = { 204: 1, 410: AT_ONCE - 1 };
const tokenIn = (text: string) => /#token=([\w.-]+)/.exec(text)?.[1] ?? '';

describe('a refresh token', () => {
  it('presented many times at once has one successor, whose chain goes on', async () => {
    const owner = await account();
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, index) => refresh(owner.refreshToken, from(index))),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const successors = new Set(answers.map(({ body }) => body.refreshToken));
    expect(successors.size).toBe(1);
    expect(await openSessions(owner)).toBe(1);
    const [refreshToken = ''] = successors;
    const next = await refresh(refreshToken);
    const last = await refresh(next.body.refreshToken);
    expect([next.status, last.status]).toEqual([200, 200]);
  });

  it('that was spent ends the chain, however often it is presented at once with its successors', async () => {
    const owner = await account();
    const { body: next } = await refresh(owner.refreshToken);
    const { body: last } = await refresh(next.refreshToken);
    const spent = await usedAtOnce('/api/auth/refresh', () => ({ refreshToken: owner.refreshToken }));
    expect(spent).toEqual({ 401: AT_ONCE });
    expect((await refresh(last.refreshToken)).status).toBe(401);
    expect(await openSessions(owner)).toBe(0);
  });
});

describe('codes of a second factor', () => {
  const challengeOf = async (email: string) => (await replicas.login(email)).body.challengeId;
  /** Anyone who has guessed waits; in a test the wait is over. */
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
    expect((await verify(await challengeOf(owner.email), await app.freshCode())).status).toBe(200);
  });

  it('that are recovery codes work once, in however many sign-ins at the same time', async () => {
    const { account: owner, recoveryCodes } = await protectedAccount(replicas.first);
    const challengeId = await challengeOf(owner.email);
    const before = await openSessions(owner);
    const [code] = recoveryCodes;
    expect(await usedAtOnce('/api/auth/mfa/verify', () => ({ challengeId, code }))).toMatchObject({ 200: 1 });
    expect(await openSessions(owner)).toBe(before + 1);
    await endWait(owner.tenantId);
    expect((await verify(await challengeOf(owner.email), code)).status).toBe(401);
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
    const code = /code is (\d{6})/.exec((await mailServer.mailTo(owner.email, since, 'code is')).text)?.[1];
    const before = await openSessions(owner);
    expect(await usedAtOnce('/api/auth/mfa/verify', () => ({ challengeId, code }))).toMatchObject({ 200: 1 });
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
    expect(tally(statuses)).toEqual(ONCE);
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
    const tokenAt = (index: number) => tokens[index % tokens.length];
    const used = await usedAtOnce('/api/auth/password-resets/complete', (index) => ({
      token: tokenAt(index),
      password: NEW_PASSWORD,
    }));
    expect(used).toEqual(ONCE);
  });

  it('that undoes the link to a host user does it once', async () => {
    const host = await EmbedHost.start(replicas.first);
    const { email } = await replicas.first.member(host.owner, ['viewer']);
    await host.mint({ email });
    const token = tokenIn((await mailServer.mailTo(email)).text);
    expect(await usedAtOnce('/api/auth/embed-links/undo', () => ({ token }))).toEqual(ONCE);
  });

  it('that confirms or undoes another address does it once', async () => {
    const { email, accessToken } = await account();
    const wanted = newEmail();
    await replicas.first.post('/api/auth/email-change', { email: wanted, password: PASSWORD }, accessToken);
    const confirmation = tokenIn((await mailServer.mailTo(wanted)).text);
    const since = mailServer.mails.length;
    expect(await usedAtOnce('/api/auth/email-change/confirm', () => ({ token: confirmation }))).toEqual(ONCE);
    const undo = tokenIn((await mailServer.mailTo(email, since)).text);
    expect(await usedAtOnce('/api/auth/email-change/undo', () => ({ token: undo }))).toEqual(ONCE);
  });
});

describe('a host user', () => {
  it('for whom two replicas mint for the first time at once is one user, told once of the link', async () => {
    const host = await EmbedHost.start(replicas.first);
    const { email, userId } = await replicas.first.member(host.owner, ['viewer']);
    const since = mailServer.mails.length;
    const request = { ...host.credentials, sub: 'the same', email, name: 'Host user', scopes: ['leads' as const] };
    const users = Array.from({ length: AT_ONCE }, async (_, index) => {
      const { embedToken } = await mintAt(index % 2 === 0 ? replicas.first : replicas.second, request);
      return (await principalOf(replicas.first, embedToken)).userId;
    });
    expect(new Set(await Promise.all(users))).toEqual(new Set([userId]));
    expect(await replicas.first.query(host.owner.tenantId, 'SELECT 1 FROM embed_user')).toHaveLength(1);
    const sql = 'SELECT id FROM mail WHERE recipient = $1';
    const isSent = async () => (await replicas.first.query(host.owner.tenantId, sql, [email])).length === 0;
    await waitUntil(isSent, { describe: 'the mails to be sent', timeoutMs: 10_000 });
    expect(mailServer.mails.slice(since).filter(({ to }) => to === email)).toHaveLength(1);
  });
});
