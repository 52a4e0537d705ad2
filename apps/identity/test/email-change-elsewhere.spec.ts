import { waitUntil } from '@crm/testing';
import { describe, expect, it, jest } from '@jest/globals';
import { SessionService } from '../src/sessions/session.service.js';
import { entryOf } from './audit.js';
import { fromElsewhere, NEW_PASSWORD, newEmail, PASSWORD, withMail } from './identity.js';
import { type ReceivedMail, tokenIn } from './mail-server.js';
import { addLocal, consultant, enter, joined, prove, standing } from './persons.js';

const { identity, mailServer } = withMail();

const THIEFS_PASSWORD = 'sable-turbine-forgets-amber';

const linkTo = async (address: string, page: string, since: number): Promise<string> => {
  const isLink = ({ to, text }: ReceivedMail) => to === address && text.includes(`/${page}#token=`);
  const find = () => mailServer.mails.slice(since).findLast(isLink);
  await waitUntil(() => find() !== undefined, { timeoutMs: 10_000, describe: `a link to ${page} for ${address}` });
  return tokenIn(find()?.text ?? '');
};
const present = (step: 'confirm' | 'undo', token: string) =>
  identity.request('POST', `/api/auth/email-change/${step}`, { body: { token }, headers: fromElsewhere() });
/** Changes an address. @returns the token that undoes it */
const changed = async (accessToken: string, from: string, to: string) => {
  const since = mailServer.mails.length;
  await identity.post('/api/auth/email-change', { email: to, password: PASSWORD }, accessToken);
  expect((await present('confirm', await linkTo(to, 'email-change', since))).status).toBe(204);
  return linkTo(from, 'email-change/undo', since);
};
const askReset = (email: string) =>
  identity.request('POST', '/api/auth/password-resets', { body: { email }, headers: fromElsewhere() });
const setPassword = async (email: string, since: number, password = NEW_PASSWORD) => {
  const body = { token: await linkTo(email, 'password-reset', since), password };
  expect((await identity.request('POST', '/api/auth/password-resets/complete', { body })).status).toBe(204);
};
const addressOf = (tenantId: string, userId: string) =>
  identity.query(tenantId, 'SELECT email, status FROM app_user WHERE id = $1', [userId]);
const changesOf = (userIds: string[]) =>
  identity.queryAll('SELECT id FROM email_change WHERE user_id = ANY($1)', [userIds]);

describe('an undone change of the address of someone in several workspaces', () => {
  it('ends what the thief has entered where someone else has the address, and mails the link to the old one alone', async () => {
    // The older workspace comes first.
    const [entered, home] = [await identity.account(), await identity.account()];
    const thiefsEmail = newEmail();
    const undo = await changed(home.accessToken, home.email, thiefsEmail);
    const other = await addLocal(identity, entered.tenantId, home.email);
    const there = await joined(identity, { email: thiefsEmail }, entered);
    const thief = await enter(identity, there);
    const since = mailServer.mails.length;
    expect((await present('undo', undo)).status).toBe(204);
    await setPassword(home.email, since);
    expect((await identity.signedIn(home.email, NEW_PASSWORD)).userId).toBe(home.userId);
    expect(mailServer.mails.slice(since).filter(({ to }) => to === thiefsEmail)).toEqual([]);
    await identity.refuses(thief.accessToken);
    expect(await standing(identity, there.userId)).toBe('nobody');
    const removed = { email: `removed-${there.userId}@invalid`, status: 'disabled' };
    expect(await addressOf(entered.tenantId, there.userId)).toEqual([removed]);
    expect(await addressOf(entered.tenantId, other)).toEqual([{ email: home.email, status: 'active' }]);
    const entry = await entryOf(identity, entered, 'user.removed');
    expect(entry).toMatchObject({ subject: { id: there.userId }, actor: { kind: 'system' } });
  });

  it.each(['', '?erase=true'])('works after the thief has left the workspace where they asked (%s)', async (query) => {
    const { home, there } = await consultant(identity);
    const thief = await enter(identity, there);
    const [second, third] = [newEmail(), newEmail()];
    const undo = await changed(thief.accessToken, home.email, second);
    await changed(thief.accessToken, second, third);
    expect((await identity.send('DELETE', `/api/auth/workspaces/${there.tenantId}${query}`, thief)).status).toBe(204);
    const since = mailServer.mails.length;
    expect((await present('undo', undo)).status).toBe(204);
    await setPassword(home.email, since);
    expect((await identity.signedIn(home.email, NEW_PASSWORD)).userId).toBe(home.userId);
    const left = 'SELECT 1 FROM sign_in_email WHERE email = ANY($1)';
    expect(await identity.queryAll(left, [[second, third]])).toEqual([]);
    expect(await changesOf([there.userId])).toEqual([]);
  });

  it('leaves nothing of changes once the person is erased everywhere', async () => {
    const [one, two] = [await identity.account(), await identity.account()];
    const member = await identity.member(one);
    await prove(identity, member);
    const there = await joined(identity, member, two);
    const inside = await enter(identity, there);
    await changed(inside.accessToken, member.email, newEmail());
    expect((await identity.send('DELETE', '/api/auth/me', inside)).status).toBe(204);
    expect(await changesOf([there.userId, member.userId])).toEqual([]);
  });

  it('ends the password that the thief sets meanwhile, and what it opens', async () => {
    const home = await identity.account();
    const thiefsEmail = newEmail();
    const undo = await changed(home.accessToken, home.email, thiefsEmail);
    let meanwhile = '';
    const forget = jest.spyOn(identity.get(SessionService), 'forget').mockImplementationOnce(async () => {
      const before = mailServer.mails.length;
      await askReset(thiefsEmail);
      await setPassword(thiefsEmail, before, THIEFS_PASSWORD);
      meanwhile = (await identity.signedIn(thiefsEmail, THIEFS_PASSWORD)).accessToken;
    });
    const since = mailServer.mails.length;
    expect((await present('undo', undo)).status).toBe(204);
    forget.mockRestore();
    expect(meanwhile).not.toBe('');
    await identity.refuses(meanwhile);
    for (const email of [home.email, thiefsEmail]) {
      expect((await identity.login(email, THIEFS_PASSWORD)).status).toBe(401);
    }
    await setPassword(home.email, since);
    expect((await identity.signedIn(home.email, NEW_PASSWORD)).userId).toBe(home.userId);
  });
});
