import { describe, expect, it } from '@jest/globals';
import { auditOf } from './audit.js';
import { newEmail, outcome, PASSWORD } from './identity.js';
import { enter, joined, prove, switchTo } from './persons.js';
import { refused, Stage } from './single-sign-on/stage.js';

const stage = Stage.ofFile();
const { identity } = stage;

const PENDING = { error: 'IDENTITY_LINK_PENDING' };

let people = 0;
/** Signs someone in at the provider. @returns what the page learns, and the user when they got in */
async function signIn(claims: { sub: string; email: string; email_verified?: boolean }) {
  const begun = await stage.begun();
  stage.provider.claims = claims;
  const learned = await begun.browser.comeBack(stage.callback(begun.state));
  if (learned.code === undefined) return { learned };
  const { body } = await begun.browser.exchange(learned.code);
  return { learned, session: body, user: (await identity.send('GET', '/api/auth/me', body)).body };
}

/** Someone who has signed in at the provider before. */
async function employee() {
  people += 1;
  const [sub, email] = [`employee-${people}`, `paul-${people}@${stage.workspace.domain}`];
  const { user, session } = await signIn({ sub, email });
  if (!user || !session) throw new Error('Nobody was signed in');
  return { sub, email, user, session };
}

const requestsPath = (id = '') =>
  `/api/tenant/identity-providers/${stage.configured.id}/link-requests${id && `/${id}`}`;
const requests = async () => {
  const { status, body } = await identity.send('GET', requestsPath(), stage.workspace.owner);
  expect(status).toBe(200);
  return body.data as unknown as { id: string; sub: string; email: string; name: string | null; userId: string }[];
};
const requestOf = async (sub: string) => (await requests()).find((request) => request.sub === sub);
const decide = async (decision: 'approve' | 'deny', sub: string, by = stage.workspace.owner) =>
  outcome(identity.send('POST', requestsPath(`${(await requestOf(sub))?.id}/${decision}`), by));
const auditedAs = async (action: string, userId: string) =>
  (await auditOf(identity, stage.workspace.owner, `&action=provider_link.${action}&subject=${userId}`)).length;

describe('an address that the provider gives to someone else', () => {
  it('does not make them the user who had it: an owner is asked, once, and nobody else', async () => {
    const { email, user } = await employee();
    const since = stage.mailServer.mails.length;
    for (let time = 0; time < 2; time += 1)
      expect((await signIn({ sub: `new-${email}`, email })).learned).toEqual(PENDING);
    const told = await stage.mailServer.mailTo(stage.workspace.owner.email, since);
    expect(told.text).toContain('A sign-in is waiting for your decision');
    expect(told.text).toContain('/settings/people');
    expect(stage.mailServer.mails.slice(since)).toHaveLength(1);
    expect(await requestOf(`new-${email}`)).toMatchObject({ email, userId: user.id });
    expect(await auditedAs('requested', user.id)).toBe(1);
    const admin = await stage.colleague();
    await identity.changeUser(stage.workspace.owner, admin.userId, { roles: ['admin'] });
    const asAdmin = await identity.signedIn(admin.email);
    expect(await outcome(identity.send('GET', requestsPath(), asAdmin))).toEqual([403, 'FORBIDDEN']);
    expect(await decide('approve', `new-${email}`, asAdmin)).toEqual([403, 'FORBIDDEN']);
  });

  it('makes them the user once an owner says so, in place of the one who was known as the user', async () => {
    const { sub, email, user } = await employee();
    await signIn({ sub: `new-${email}`, email });
    expect(await decide('approve', `new-${email}`)).toEqual([204, undefined]);
    expect(await requestOf(`new-${email}`)).toBeUndefined();
    expect((await signIn({ sub: `new-${email}`, email })).user).toMatchObject({ id: user.id });
    expect((await signIn({ sub, email })).learned).toEqual(PENDING);
    expect(await auditedAs('approved', user.id)).toBe(1);
  });

  it('keeps them out for seven days once an owner refuses, after which they are asked for again', async () => {
    const { email, sub, user } = await employee();
    await signIn({ sub: `new-${email}`, email });
    expect(await decide('deny', `new-${email}`)).toEqual([204, undefined]);
    expect((await signIn({ sub: `new-${email}`, email })).learned).toEqual(refused('link_denied'));
    expect(await requestOf(`new-${email}`)).toBeUndefined();
    expect((await signIn({ sub, email })).user).toMatchObject({ id: user.id });
    expect(await auditedAs('denied', user.id)).toBe(1);
    const inSevenDays = 'UPDATE provider_link_request SET expires_at = now() WHERE sub = $1';
    await identity.query(stage.workspace.owner.tenantId, inSevenDays, [`new-${email}`]);
    expect((await signIn({ sub: `new-${email}`, email })).learned).toEqual(PENDING);
    expect(await requestOf(`new-${email}`)).toBeDefined();
  });

  it('is decided with a recent proof, on a request that waits, for a user who still has the address', async () => {
    const { email, user } = await employee();
    await signIn({ sub: `new-${email}`, email });
    const request = await requestOf(`new-${email}`);
    const { owner } = stage.workspace;
    await identity.forgetProofs(owner.tenantId);
    expect(await decide('approve', `new-${email}`)).toEqual([403, 'STEP_UP_REQUIRED']);
    expect(await decide('deny', `new-${email}`)).toEqual([403, 'STEP_UP_REQUIRED']);
    expect((await identity.stepUp(owner.accessToken)).status).toBe(204);
    await identity.changeUser(owner, user.id, { status: 'disabled' });
    expect(await decide('approve', `new-${email}`)).toEqual([409, 'CONFLICT']);
    expect(await outcome(identity.send('POST', requestsPath(`${request?.id}/wrong`), owner))).toEqual([
      404,
      'NOT_FOUND',
    ]);
    await identity.send('POST', `/api/admin/users/${user.id}/erase`, owner, {});
    expect(await requestOf(`new-${email}`)).toBeUndefined();
  });

  it("ends what the former one has opened when it becomes someone else's, also a sign-in on its way", async () => {
    const { sub, email, session } = await employee();
    const begun = await stage.begun();
    stage.provider.claims = { sub, email };
    const { code = '' } = await begun.browser.comeBack(stage.callback(begun.state));
    await signIn({ sub: `new-${email}`, email });
    expect(await decide('approve', `new-${email}`)).toEqual([204, undefined]);
    await identity.refuses(session.accessToken);
    expect(await outcome(begun.browser.exchange(code))).toEqual([410, 'SINGLE_SIGN_ON_EXPIRED']);
  });

  it('waits no more for a user whom the provider does not mean', async () => {
    const [one, other] = [await employee(), await employee()];
    const sub = `new-${one.email}`;
    await signIn({ sub, email: one.email });
    expect((await signIn({ sub, email: other.email })).learned).toEqual(PENDING);
    expect(await requestOf(sub)).toMatchObject({ userId: other.user.id });
    expect((await signIn({ sub, email: `free-${one.email}` })).user?.id).toBeDefined();
    expect(await requestOf(sub)).toBeUndefined();
  });

  it("is nobody's who has left and is in another workspace: the next one is someone else", async () => {
    const former = await stage.colleague();
    const home = await joined(identity, former, (await stage.proven()).owner);
    await signIn({ sub: `old-${former.email}`, email: former.email });
    expect((await identity.send('DELETE', `/api/tenant/users/${former.userId}`, stage.workspace.owner)).status).toBe(
      204,
    );
    const { user } = await signIn({ sub: `new-${former.email}`, email: former.email });
    expect(user).toMatchObject({ email: former.email, roles: ['member'] });
    const session = await identity.signedIn(former.email);
    expect(session.userId).toBe(home.userId);
    const { body } = await identity.send('GET', '/api/auth/workspaces', session);
    expect(JSON.stringify(body)).not.toContain(stage.workspace.owner.tenantId);
    const switched = switchTo(identity, session, stage.workspace.owner.tenantId);
    expect(await outcome(switched)).toEqual([404, 'NOT_FOUND']);
  });

  it('lets nobody switch from another workspace to a user whom the provider has made', async () => {
    const email = newEmail().replace(/@.*/, `@${stage.workspace.domain}`);
    const workspace = { name: 'On trial' };
    await identity.post('/api/auth/register', { email, password: PASSWORD, name: 'Paul', workspace });
    await prove(identity, await identity.signedIn(email));
    expect((await signIn({ sub: `sub-of-${email}`, email })).user).toMatchObject({ roles: ['member'] });
    const trial = await identity.signedIn(email);
    const switched = switchTo(identity, trial, stage.workspace.owner.tenantId, PASSWORD);
    expect(await outcome(switched)).toEqual([403, 'SINGLE_SIGN_ON_REQUIRED']);
  });

  it('makes a user of their own once the former one has another address', async () => {
    const { sub, email, user } = await employee();
    expect((await signIn({ sub: `new-${email}`, email })).learned).toEqual(PENDING);
    await signIn({ sub, email: `former-${email}` });
    const newcomer = (await signIn({ sub: `new-${email}`, email })).user;
    expect(newcomer).toMatchObject({ email });
    expect(newcomer?.id).not.toBe(user.id);
  });
});

describe('the address of someone whom the provider knows', () => {
  const addressOf = async (claims: Parameters<typeof signIn>[0]) => (await signIn(claims)).user?.email;

  it('follows the provider, and they are told at the new one', async () => {
    const { sub, email, user } = await employee();
    const since = stage.mailServer.mails.length;
    expect((await signIn({ sub, email: `renamed-${email}` })).user).toMatchObject({
      id: user.id,
      email: `renamed-${email}`,
    });
    const told = await stage.mailServer.mailTo(`renamed-${email}`, since);
    expect(told.text).toContain(email);
    const changed = await auditOf(identity, stage.workspace.owner, `&action=email.changed&subject=${user.id}`);
    expect(changed).toMatchObject([{ detail: { providerId: stage.configured.id } }]);
  });

  it('stays where the provider has not verified another one, or its domain is not of the workspace', async () => {
    const { sub, email } = await employee();
    expect(await addressOf({ sub, email: `renamed-${email}`, email_verified: false })).toBe(email);
    expect(await addressOf({ sub, email: newEmail() })).toBe(email);
    expect(await addressOf({ sub, email: 'no address' })).toBe(email);
  });

  it('stays where the provider does not say that another one is verified, also if it never has to', async () => {
    const lenient = await stage.proven();
    const at = await stage.add(lenient, stage.provider, { requiresVerifiedEmail: false });
    const outcomeOf = async (name: string) => {
      stage.provider.claims = { sub: 'lenient', email: `${name}@${lenient.domain}`, email_verified: false };
      const { body } = await stage.exchanged(await stage.begun(at, stage.provider, lenient), at);
      return (await identity.send('GET', '/api/auth/me', body)).body.email;
    };
    expect(await outcomeOf('somebody')).toBe(`somebody@${lenient.domain}`);
    expect(await outcomeOf('hr')).toBe(`somebody@${lenient.domain}`);
  });

  it('stays where another one is of someone else, here or in another workspace of theirs', async () => {
    const [one, other] = [await employee(), await employee()];
    expect(await addressOf({ sub: one.sub, email: other.email })).toBe(one.email);
    const elsewhere = await stage.proven();
    const wanted = `wanted-${one.email}`;
    const user = { email: wanted, name: 'Ada', roles: ['member'] };
    await identity.send('POST', '/api/tenant/users', elsewhere.owner, user);
    // An account that nobody has proven keeps nothing from anybody.
    expect(await addressOf({ sub: one.sub, email: wanted })).toBe(wanted);
  });

  it('is theirs in every workspace of theirs, with the password that they have there', async () => {
    const colleague = await stage.colleague();
    const there = await joined(identity, colleague, (await stage.proven()).owner);
    const sub = `sub-of-${colleague.email}`;
    await signIn({ sub, email: colleague.email });
    const email = `new-${colleague.email}`;
    expect(await addressOf({ sub, email })).toBe(email);
    expect(await outcome(identity.login(colleague.email))).toEqual([401, 'INVALID_CREDENTIALS']);
    for (const { tenantId, userId } of [colleague, there]) {
      expect((await enter(identity, { email, tenantId, userId })).userId).toBe(userId);
      expect(await identity.query(tenantId, 'SELECT email FROM app_user WHERE id = $1', [userId])).toEqual([{ email }]);
    }
  });
});
