import { describe, expect, it } from '@jest/globals';
import type { OfferView } from '../src/accounts/offer.dto.js';
import { auditOf } from './audit.js';
import { type Account, NEW_PASSWORD, newEmail, outcome, PASSWORD, withMail } from './identity.js';
import { TestKeys } from './keys.js';
import { tokenIn } from './mail-server.js';
import { expectEnded, granted, installed } from './oauth.js';
import { newAuthenticator, register, signIn } from './passkeys.js';

const { identity, mailServer } = withMail();
const keys = TestKeys.ofFile(identity);

const STRANGERS = 'sable-turbine-forgets-amber';

const offersTo = async (account: Account) =>
  (await identity.send('GET', '/api/auth/workspaces/offers', account)).body.data as unknown as OfferView[];
const answer = (account: Account, userId: string, decision: 'accept' | 'decline') =>
  identity.send('POST', `/api/auth/workspaces/offers/${userId}/${decision}`, account);
const byMail = (act: 'accept' | 'decline' | 'look', token: string, password?: string) =>
  identity.post(`/api/auth/invitations/${act}`, { token, ...(password && { password }) });
const login = (email: string, password: string, workspace?: string) =>
  identity.post('/api/auth/login', { email, password, workspace });

/** A user with an address in another workspace, whose password is an administrator's. */
async function added(email: string, owner?: Account) {
  const admin = owner ?? (await identity.account({ name: 'Elsewhere' }));
  const body = { email, name: 'Somebody', password: STRANGERS, roles: ['member'] };
  const { status, body: user } = await identity.post('/api/tenant/users', body, admin.accessToken);
  expect(status).toBe(201);
  return { admin, userId: user.id };
}

/** An invitation, and what its mail carries. */
async function invited(email: string, owner?: Account) {
  const admin = owner ?? (await identity.account({ name: 'Elsewhere' }));
  const body = { email, name: 'Somebody', roles: ['viewer'] };
  const { answer: sent, text } = await mailServer.sentBy(email, () =>
    identity.post('/api/tenant/users', body, admin.accessToken),
  );
  expect(sent.status).toBe(201);
  return { admin, userId: sent.body.id, token: tokenIn(text) };
}

const statusOf = async ({ tenantId }: Account, userId: string) =>
  (await identity.query(tenantId, 'SELECT status FROM app_user WHERE id = $1', [userId]))[0]?.status;

describe('the offers of a person', () => {
  it('are the users with their address, of whatever workspace, and none of a host', async () => {
    const person = await identity.account();
    const [invitation, account] = [await invited(person.email), await added(person.email)];
    await added(newEmail());
    expect(await offersTo(person)).toEqual([
      {
        userId: invitation.userId,
        tenantId: invitation.admin.tenantId,
        workspace: 'Elsewhere',
        roles: ['viewer'],
        invited: true,
      },
      {
        userId: account.userId,
        tenantId: account.admin.tenantId,
        workspace: 'Elsewhere',
        roles: ['member'],
        invited: false,
      },
    ]);
    await identity.query(account.admin.tenantId, 'UPDATE tenant SET closed_at = now()');
    await identity.query(invitation.admin.tenantId, "UPDATE app_user SET origin = 'embed' WHERE id = $1", [
      invitation.userId,
    ]);
    expect(await offersTo(person)).toEqual([]);
  });

  it('are shown to nobody else, not even to who has the address without a proof', async () => {
    const person = await identity.account();
    const { admin, userId } = await added(person.email);
    const { body } = await login(person.email, STRANGERS, admin.tenantId);
    const local = { ...person, ...body };
    for (const other of [admin, local, await identity.account()]) {
      expect(await offersTo(other)).toEqual([]);
      for (const decision of ['accept', 'decline'] as const) {
        expect(await outcome(answer(other, userId, decision))).toEqual([404, 'NOT_FOUND']);
      }
    }
  });
});

describe('an account that is accepted', () => {
  it('is the person’s: nothing that its user until then has leads in any more, and nothing did for the person before', async () => {
    const person = await identity.account();
    const app = await installed(identity);
    const { admin } = app;
    const { userId } = await added(person.email, admin);
    const { body } = await login(person.email, STRANGERS, admin.tenantId);
    const stranger: Account = { ...person, ...body, tenantId: admin.tenantId, userId };
    const authenticator = newAuthenticator();
    expect((await register(identity, stranger, authenticator)).status).toBe(201);
    const key = await keys.make(stranger);
    const grant = await granted(identity, app, stranger);
    expect((await login(person.email, STRANGERS, person.tenantId)).status).toBe(401);

    const { answer: accepted, text } = await mailServer.sentBy(person.email, () => answer(person, userId, 'accept'));
    expect([accepted.status, text]).toEqual([204, expect.stringContaining('your account is now in the workspace')]);
    await identity.refuses(stranger.accessToken);
    expect((await identity.refresh(stranger.refreshToken)).status).toBe(401);
    expect((await signIn(identity, authenticator)).status).toBe(401);
    await expect(keys.exchange(key.key)).rejects.toMatchObject({ code: expect.any(String) });
    await expectEnded(identity, app, grant);
    expect((await login(person.email, STRANGERS, admin.tenantId)).status).toBe(401);
    const own = await login(person.email, PASSWORD, admin.tenantId);
    expect((await identity.me(own.body.accessToken)).body).toMatchObject({ id: userId, roles: ['member'] });
    expect(await offersTo(person)).toEqual([]);
    expect(await auditOf(identity, admin, '&action=membership.accepted')).toMatchObject([{ actor: { id: userId } }]);
  });

  it('stays disabled where an administrator has disabled it', async () => {
    const person = await identity.account();
    const { admin, userId } = await added(person.email);
    await identity.changeUser(admin, userId, { status: 'disabled' });
    expect((await answer(person, userId, 'accept')).status).toBe(204);
    expect(await statusOf(admin, userId)).toBe('disabled');
    expect((await login(person.email, PASSWORD, admin.tenantId)).status).toBe(401);
    expect((await login(person.email, PASSWORD)).status).toBe(200);
  });

  it('is accepted once by two calls at once, and needs a recent proof', async () => {
    const person = await identity.account();
    const { userId } = await added(person.email);
    await identity.forgetProofs(person.tenantId);
    expect(await outcome(answer(person, userId, 'accept'))).toEqual([403, 'STEP_UP_REQUIRED']);
    await identity.stepUp(person.accessToken);
    const answers = await Promise.all([1, 2].map(() => answer(person, userId, 'accept')));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404]);
  });

  it('is that of a registration, whose workspace is verified then', async () => {
    const person = await identity.account();
    const body = { email: person.email, password: STRANGERS, name: 'Stranger', workspace: { name: 'Registered' } };
    const headers = { 'x-forwarded-for': '203.0.113.7' };
    const registered = await identity.request('POST', '/api/auth/register', { body, headers });
    const [offer] = await offersTo(person);
    expect((await answer(person, offer!.userId, 'accept')).status).toBe(204);
    const own = await login(person.email, PASSWORD, registered.body.tenant.id);
    expect((await identity.me(own.body.accessToken)).body.tenant).toMatchObject({ name: 'Registered', verified: true });
    expect(await identity.queryAll('SELECT 1 FROM email_claim WHERE email = $1', [person.email])).toEqual([]);
  });
});

describe('an invitation', () => {
  it('needs no password of a person, whose own one counts in the workspace then', async () => {
    const person = await identity.account();
    const { admin, userId, token } = await invited(person.email);
    expect((await byMail('look', token)).body).toEqual({
      workspace: 'Elsewhere',
      email: person.email,
      needsPassword: false,
    });
    expect((await byMail('accept', token, NEW_PASSWORD)).status).toBe(204);
    expect((await login(person.email, NEW_PASSWORD, admin.tenantId)).status).toBe(401);
    const own = await login(person.email, PASSWORD, admin.tenantId);
    expect((await identity.me(own.body.accessToken)).body.id).toBe(userId);
    for (const act of ['look', 'accept', 'decline'] as const) {
      expect(await outcome(byMail(act, token))).toEqual([410, 'INVALID_INVITATION']);
    }
  });

  it('needs a password of somebody who has no account, and makes them the person who has the address', async () => {
    const email = newEmail();
    const { token } = await invited(email);
    const other = await added(email);
    expect((await byMail('look', token)).body).toMatchObject({ needsPassword: true });
    expect(await outcome(byMail('accept', token))).toEqual([422, 'PASSWORD_REQUIRED']);
    expect((await byMail('accept', token, PASSWORD)).status).toBe(204);
    const person = await identity.signedIn(email);
    expect(await offersTo(person)).toMatchObject([{ userId: other.userId }]);
  });

  it.each<[string, (token: string, admin: Account, userId: string) => Promise<unknown> | string]>([
    ['has expired', (_token, { tenantId }) => identity.expire('invitation', tenantId)],
    ['is of somebody who was disabled', (_token, admin, id) => identity.changeUser(admin, id, { status: 'disabled' })],
    ['was declined', async (token) => expect((await byMail('decline', token)).status).toBe(204)],
    ['was declined in the page', async () => undefined],
    [
      'is of a workspace that was closed',
      (_token, { tenantId }) => identity.query(tenantId, 'UPDATE tenant SET closed_at = now()'),
    ],
  ])('%s: its link does nothing', async (reason, act) => {
    const person = await identity.account();
    const { admin, userId, token } = await invited(person.email);
    await act(token, admin, userId);
    if (reason === 'was declined in the page') await answer(person, userId, 'decline');
    for (const path of ['look', 'accept', 'decline'] as const) {
      expect(await outcome(byMail(path, token))).toEqual([410, 'INVALID_INVITATION']);
    }
    expect(await identity.queryAll('SELECT 1 FROM membership WHERE user_id = $1', [userId])).toEqual([]);
  });
});

describe('what a person declines', () => {
  it('leaves nothing of an invitation, and the address can be invited again', async () => {
    const person = await identity.account();
    const { admin, userId } = await invited(person.email);
    expect((await answer(person, userId, 'decline')).status).toBe(204);
    expect(await statusOf(admin, userId)).toBeUndefined();
    expect(await offersTo(person)).toEqual([]);
    const again = await invited(person.email, admin);
    expect((await byMail('accept', again.token)).status).toBe(204);
  });

  it('goes on where somebody uses it, and is not offered again', async () => {
    const person = await identity.account();
    const { admin, userId } = await added(person.email);
    expect((await answer(person, userId, 'decline')).status).toBe(204);
    expect(await offersTo(person)).toEqual([]);
    expect(await outcome(answer(person, userId, 'accept'))).toEqual([404, 'NOT_FOUND']);
    expect((await login(person.email, STRANGERS, admin.tenantId)).status).toBe(200);
    expect(await statusOf(admin, userId)).toBe('active');
  });
});
