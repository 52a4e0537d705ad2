import { beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import type { OfferView } from '../src/invitations/offer.dto.js';
import { auditOf } from './audit.js';
import { enrol } from './authenticators.js';
import { type Account, fromElsewhere, NEW_PASSWORD, newEmail, outcome, PASSWORD, withMail } from './identity.js';
import { TestKeys } from './keys.js';
import { tokenIn } from './mail-server.js';
import { expectEnded, granted, installed } from './oauth.js';
import { register as addPasskey, newAuthenticator, signIn as signInByPasskey } from './passkeys.js';

const { identity, mailServer } = withMail();
const keys = TestKeys.ofFile(identity);

const STRANGERS = 'stranger-lantern-orbits-quietly';
const INVALID = [410, 'INVALID_INVITATION'];
const NONE = [404, 'NOT_FOUND'];

const addUser = (by: Account, email: string, more: object = {}) =>
  identity.post('/api/tenant/users', { email, name: 'Buy now', roles: ['member'], ...more }, by.accessToken);
const byMail = (act: 'accept' | 'decline' | 'look', token: string, more: object = {}) =>
  identity.post(`/api/auth/invitations/${act}`, { token, ...more });
const inPage = (act: 'accept' | 'decline', who: Account, userId: string) =>
  identity.send('POST', `/api/auth/workspaces/offers/${userId}/${act}`, who);
const offersOf = async (who: Account) => {
  const { status, body } = await identity.send('GET', '/api/auth/workspaces/offers', who);
  expect(status).toBe(200);
  return body.data as unknown as OfferView[];
};
/** The workspace that an address and a password enter, or why not. */
const signIn = async (email: string, password: string, workspace?: string) => {
  const body = { email, password, workspace };
  const { status, body: answer } = await identity.request('POST', '/api/auth/login', {
    body,
    headers: fromElsewhere(),
  });
  return status === 200 ? (decodeJwt(answer.accessToken) as { tid: string }).tid : answer.code;
};
const statusOf = async (owner: Account, userId: string) => {
  const { status, body } = await identity.send('GET', `/api/tenant/users/${userId}`, owner);
  return status === 200 ? body.status : status;
};

interface Offer {
  /** Whose workspace offers. */
  owner: Account;
  userId: string;
  /** The token of the link in the mail; empty without a mail. */
  token: string;
}

async function invited(email: string, owner?: Account): Promise<Offer> {
  const by = owner ?? (await identity.account({ name: 'The inviters' }));
  const { answer, text } = await mailServer.sentBy(email, () => addUser(by, email));
  expect(answer.status).toBe(201);
  return { owner: by, userId: answer.body.id, token: tokenIn(text) };
}

/** Registers with the address of a person, from afar. */
async function registeredFor(email: string): Promise<Offer & { text: string }> {
  const body = { email, password: STRANGERS, name: 'Buy now', workspace: { name: 'Visit evil.example' } };
  const headers = fromElsewhere();
  const { answer, text } = await mailServer.sentBy(email, () =>
    identity.request('POST', '/api/auth/register', { body, headers }),
  );
  expect(answer.status).toBe(201);
  const token = /\/invitation#token=([\w.-]+)/.exec(text)?.[1] ?? '';
  const login = await identity.post('/api/auth/login', {
    email,
    password: STRANGERS,
    workspace: answer.body.tenant.id,
  });
  const owner = { ...login.body, email, userId: answer.body.user.id, tenantId: answer.body.tenant.id };
  return { owner, userId: owner.userId, token, text };
}

async function added(email: string): Promise<Offer> {
  const owner = await identity.account();
  const { body } = await addUser(owner, email, { password: STRANGERS });
  return { owner, userId: body.id, token: '' };
}

describe('an invitation of a person', () => {
  it('is accepted with the link alone, and the person is in both workspaces with the password that they have', async () => {
    const person = await identity.account();
    const { owner, userId, token } = await invited(person.email);
    const look = await byMail('look', token);
    expect(look).toMatchObject({
      status: 200,
      body: { workspace: 'The inviters', email: person.email, needsPassword: false, signsInBy: 'password' },
    });
    const { answer, text } = await mailServer.sentBy(person.email, () =>
      byMail('accept', token, { password: NEW_PASSWORD }),
    );
    expect(answer.status).toBe(204);
    expect(text).toContain('Subject: You are now in the workspace The inviters');
    expect(await statusOf(owner, userId)).toBe('active');
    for (const { tenantId } of [person, owner]) expect(await signIn(person.email, PASSWORD, tenantId)).toBe(tenantId);
    expect(await signIn(person.email, NEW_PASSWORD)).toBe('INVALID_CREDENTIALS');
    // The audit trail says the same about someone who had no account.
    expect(await auditOf(identity, owner, '&action=membership.accepted')).toEqual([]);
    const [accepted] = await auditOf(identity, owner, '&action=user.invitation_accepted');
    expect(accepted).toMatchObject({ subject: { kind: 'user', id: userId }, actor: { id: userId } });
    expect(JSON.stringify(accepted)).not.toContain(person.email);
    for (const act of ['look', 'accept', 'decline'] as const)
      expect(await outcome(byMail(act, token))).toEqual(INVALID);
  });

  it('is accepted in the page, after a recent proof', async () => {
    const person = await identity.account();
    const { owner, userId } = await invited(person.email);
    const { tenantId } = owner;
    const offer = {
      userId,
      tenantId,
      workspace: 'The inviters',
      roles: ['member'],
      invited: true,
      signsInBy: 'password',
    };
    expect(await offersOf(person)).toEqual([{ ...offer, createdAt: expect.any(String) }]);
    await identity.forgetProofs(person.tenantId);
    expect(await outcome(inPage('accept', person, userId))).toEqual([403, 'STEP_UP_REQUIRED']);
    expect((await identity.stepUp(person.accessToken)).status).toBe(204);
    expect((await inPage('accept', person, userId)).status).toBe(204);
    expect(await signIn(person.email, PASSWORD, tenantId)).toBe(tenantId);
    expect(await offersOf(person)).toEqual([]);
    expect(await outcome(inPage('accept', person, userId))).toEqual(NONE);
  });

  it.each([
    ['by mail', ({ token }: Offer) => byMail('decline', token)],
    ['in the page', ({ userId }: Offer, person: Account) => inPage('decline', person, userId)],
  ])('is declined %s, and nothing is left of the user', async (_, decline) => {
    const person = await identity.account();
    const offer = await invited(person.email);
    expect((await decline(offer, person)).status).toBe(204);
    expect(await statusOf(offer.owner, offer.userId)).toBe(404);
    expect(await offersOf(person)).toEqual([]);
    const [declined] = await auditOf(identity, offer.owner, '&action=membership.declined');
    // From where is none of the workspace's business.
    expect(declined).toMatchObject({ subject: { kind: 'user', id: offer.userId }, address: null, device: null });
    const left = await identity.query(offer.owner.tenantId, 'SELECT 1 FROM mail WHERE recipient = $1', [person.email]);
    expect(left).toEqual([]);
    expect(await outcome(byMail('accept', offer.token))).toEqual(INVALID);
    expect((await addUser(offer.owner, person.email)).status).toBe(201);
  });

  it('expires with its link, and is still offered in the page', async () => {
    const person = await identity.account();
    const { owner, userId, token } = await invited(person.email);
    await identity.expire('invitation', owner.tenantId);
    for (const act of ['look', 'accept', 'decline'] as const)
      expect(await outcome(byMail(act, token))).toEqual(INVALID);
    expect((await offersOf(person)).map((offer) => offer.userId)).toEqual([userId]);
  });

  it.each<[string, (offer: Offer) => Promise<unknown>]>([
    ['of somebody who is disabled', ({ owner, userId }) => identity.changeUser(owner, userId, { status: 'disabled' })],
    ['of a closed workspace', ({ owner }) => identity.query(owner.tenantId, 'UPDATE tenant SET closed_at = now()')],
  ])('%s has a link that does nothing', async (_, act) => {
    const offer = await invited((await identity.account()).email);
    await act(offer);
    for (const each of ['look', 'accept', 'decline'] as const) {
      expect(await outcome(byMail(each, offer.token))).toEqual(INVALID);
    }
    expect(await identity.queryAll('SELECT 1 FROM membership WHERE user_id = $1', [offer.userId])).toEqual([]);
  });

  it('is accepted once by calls at the same time, whatever they come by', async () => {
    const person = await identity.account();
    const { userId, token } = await invited(person.email);
    const calls = [
      byMail('accept', token),
      inPage('accept', person, userId),
      byMail('accept', token),
      inPage('accept', person, userId),
    ];
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 204)).toHaveLength(1);
    for (const status of statuses) expect([204, 404, 410]).toContain(status);
    const memberships = await identity.queryAll('SELECT 1 FROM membership WHERE user_id = $1', [userId]);
    expect(memberships).toHaveLength(1);
  });

  it('of someone who is in the workspace already is refused', async () => {
    const owner = await identity.account();
    expect(await outcome(addUser(owner, owner.email))).toEqual([409, 'EMAIL_TAKEN']);
    const { userId, token } = await invited(newEmail(), owner);
    // The owner could have been added with another address.
    const setAddress = 'UPDATE app_user SET email = $1 WHERE id = $2';
    await identity.query(owner.tenantId, setAddress, [newEmail(), owner.userId]);
    await identity.query(owner.tenantId, setAddress, [owner.email, userId]);
    await identity.queryAll('UPDATE local_account SET email = $1 WHERE user_id = $2', [owner.email, userId]);
    expect(await outcome(byMail('accept', token))).toEqual([409, 'CONFLICT']);
    expect(await outcome(inPage('accept', owner, userId))).toEqual([409, 'CONFLICT']);
    expect(await statusOf(owner, userId)).toBe('invited');
  });
});

describe('an invitation of an address that nobody has proven', () => {
  it('asks for a password, which makes a person of anyone who reads the mail', async () => {
    const email = newEmail();
    const { owner, userId, token } = await invited(email);
    expect((await byMail('look', token)).body).toMatchObject({ needsPassword: true });
    const refused = await byMail('accept', token);
    expect(await outcome(refused)).toEqual([422, 'PASSWORD_REQUIRED']);
    expect(refused.body.errors).toMatchObject([{ pointer: '/password' }]);
    const elsewhere = await invited(email);
    expect((await byMail('accept', token, { password: PASSWORD })).status).toBe(204);
    expect(await statusOf(owner, userId)).toBe('active');
    expect(await signIn(email, PASSWORD)).toBe(owner.tenantId);
    // The other one is from now on an offer to the person.
    expect((await byMail('look', elsewhere.token)).body).toMatchObject({ needsPassword: false });
    const person = await identity.signedIn(email);
    expect((await offersOf(person)).map((offer) => offer.userId)).toEqual([elsewhere.userId]);
    expect((await byMail('accept', elsewhere.token)).status).toBe(204);
    expect(await signIn(email, PASSWORD, elsewhere.owner.tenantId)).toBe(elsewhere.owner.tenantId);
  });

  it('is declined by anyone who reads the mail', async () => {
    const { owner, userId, token } = await invited(newEmail());
    expect((await byMail('decline', token)).status).toBe(204);
    expect(await statusOf(owner, userId)).toBe(404);
  });
});

describe('a workspace that was registered with the address of a person', () => {
  it('is offered by mail without a text of the one who registered, and is verified when it is accepted', async () => {
    const person = await identity.account();
    const { owner, token, text } = await registeredFor(person.email);
    expect(text).not.toMatch(/evil\.example|Buy now/);
    expect((await byMail('accept', token)).status).toBe(204);
    await identity.refuses(owner.accessToken);
    expect(await signIn(person.email, STRANGERS)).toBe('INVALID_CREDENTIALS');
    expect(await signIn(person.email, PASSWORD, owner.tenantId)).toBe(owner.tenantId);
    const rows = await identity.query(owner.tenantId, 'SELECT 1 FROM tenant WHERE verified_at IS NOT NULL');
    expect(rows).toHaveLength(1);
    expect(await identity.queryAll('SELECT 1 FROM email_claim WHERE user_id = $1', [owner.userId])).toEqual([]);
  });

  it('goes on when it is declined, and mails nobody about it again', async () => {
    const person = await identity.account();
    const { owner, userId, token } = await registeredFor(person.email);
    expect((await byMail('decline', token)).status).toBe(204);
    const seen = mailServer.mails.length;
    expect((await identity.send('POST', '/api/auth/verify-email/resend', owner)).status).toBe(204);
    expect(await identity.query(owner.tenantId, 'SELECT 1 FROM mail')).toEqual([]);
    expect(mailServer.mails.slice(seen).filter(({ to }) => to === person.email)).toEqual([]);
    expect(await offersOf(person)).toEqual([]);
    expect(await outcome(inPage('accept', person, userId))).toEqual(NONE);
    expect(await outcome(byMail('accept', token))).toEqual(INVALID);
    expect(await signIn(person.email, STRANGERS)).toBe(owner.tenantId);
  });
});

describe('an account that a stranger has used', () => {
  it('has nothing of the stranger once the person accepts it, and never worked for the person before', async () => {
    const person = await identity.account();
    const app = await installed(identity);
    const { body } = await addUser(app.admin, person.email, { password: STRANGERS });
    const squatter = await identity.signedIn(person.email, STRANGERS);
    expect([squatter.userId, squatter.tenantId]).toEqual([body.id, app.tenantId]);
    const passkey = newAuthenticator();
    expect((await addPasskey(identity, squatter, passkey)).status).toBe(201);
    const { key } = await keys.make(squatter, { scopes: ['leads'] });
    const keyToken = await keys.exchange(key);
    const tokens = await granted(identity, app, squatter);
    await enrol(identity, squatter);
    for (const [password, workspace] of [
      [STRANGERS, person.tenantId],
      [PASSWORD, app.tenantId],
    ] as const) {
      expect(await signIn(person.email, password, workspace)).toBe('INVALID_CREDENTIALS');
    }
    // The stranger is shown what the person is offered as little as the stranger's own account.
    expect(await offersOf(squatter)).toEqual([]);
    expect(await outcome(inPage('accept', squatter, squatter.userId))).toEqual(NONE);

    expect((await inPage('accept', person, squatter.userId)).status).toBe(204);
    await identity.refuses(squatter.accessToken);
    await keys.expectEnded(key, keyToken);
    await expectEnded(identity, app, tokens);
    const statuses = [
      (await identity.refresh(squatter.refreshToken)).status,
      (await signInByPasskey(identity, passkey)).status,
      (await identity.login(person.email, STRANGERS)).status,
    ];
    expect(statuses).toEqual([401, 401, 401]);
    // Without the factor of the stranger.
    expect(await signIn(person.email, PASSWORD, app.tenantId)).toBe(app.tenantId);
  });

  it('goes on when the person declines it', async () => {
    const person = await identity.account();
    const { owner, userId } = await added(person.email);
    expect((await inPage('decline', person, userId)).status).toBe(204);
    expect(await offersOf(person)).toEqual([]);
    for (const act of ['accept', 'decline'] as const) expect(await outcome(inPage(act, person, userId))).toEqual(NONE);
    expect(await statusOf(owner, userId)).toBe('active');
    expect(await signIn(person.email, STRANGERS)).toBe(owner.tenantId);
  });

  it('stays disabled when it is accepted: the workspace decides', async () => {
    const person = await identity.account();
    const { owner, userId } = await added(person.email);
    await identity.changeUser(owner, userId, { status: 'disabled' });
    expect((await inPage('accept', person, userId)).status).toBe(204);
    expect(await statusOf(owner, userId)).toBe('disabled');
    expect(await signIn(person.email, PASSWORD, owner.tenantId)).toBe('INVALID_CREDENTIALS');
    await identity.changeUser(owner, userId, { status: 'active' });
    expect(await signIn(person.email, PASSWORD, owner.tenantId)).toBe(owner.tenantId);
  });
});

describe('an offer', () => {
  let person: Account;
  beforeAll(async () => {
    person = await identity.account();
  });

  it('of someone else is none, and neither is the token of another address', async () => {
    const other = await identity.account();
    const offer = await invited(person.email);
    const others = await invited(other.email);
    for (const act of ['accept', 'decline'] as const)
      expect(await outcome(inPage(act, other, offer.userId))).toEqual(NONE);
    expect((await offersOf(other)).map(({ userId }) => userId)).toEqual([others.userId]);
    const [ids] = others.token.split('.');
    const [, secret] = offer.token.split('.');
    expect(await outcome(byMail('accept', `${ids}.${secret}`))).toEqual(INVALID);
    expect(await outcome(inPage('accept', person, person.userId))).toEqual(NONE);
  });

  it('is not decided in a session that a provider has opened for one workspace of several', async () => {
    const both = await identity.account();
    expect((await byMail('accept', (await invited(both.email)).token)).status).toBe(204);
    const { userId } = await invited(both.email);
    await identity.query(both.tenantId, 'UPDATE session SET person_proven = false');
    for (const act of ['accept', 'decline'] as const) {
      expect(await outcome(inPage(act, both, userId))).toEqual([403, 'STEP_UP_REQUIRED']);
    }
    await identity.query(both.tenantId, 'UPDATE session SET person_proven = true');
    expect((await inPage('decline', both, userId)).status).toBe(204);
  });

  it.each([
    ['of a closed workspace', 'UPDATE tenant SET closed_at = now() WHERE $1::uuid IS NOT NULL'],
    [
      'of a suspended workspace',
      `INSERT INTO tenant_suspension (tenant_id, name, reason, suspended_at)
       SELECT tenant_id, 'X', 'Y', now() FROM app_user WHERE id = $1`,
    ],
  ])('%s is not made', async (_, make) => {
    const { owner, userId } = await added(person.email);
    expect((await offersOf(person)).map((offer) => offer.userId)).toContain(userId);
    await identity.query(owner.tenantId, make, [userId]);
    expect((await offersOf(person)).map((offer) => offer.userId)).not.toContain(userId);
    for (const act of ['accept', 'decline'] as const) expect(await outcome(inPage(act, person, userId))).toEqual(NONE);
  });
});
