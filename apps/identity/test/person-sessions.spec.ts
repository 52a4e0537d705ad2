import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { newId } from '@crm/database';
import { describe, expect, it } from '@jest/globals';
import { auditOf } from './audit.js';
import { enrol } from './authenticators.js';
import { type Account, type Answer, NEW_PASSWORD, newEmail, outcome, PASSWORD } from './identity.js';
import { newAuthenticator, register, signIn } from './passkeys.js';
import { addLocal, consultant, enter, joined, prove, sessionOf, switchTo } from './persons.js';
import { Stage } from './single-sign-on/stage.js';

const stage = Stage.ofFile();
const { identity } = stage;

interface Row {
  id: string;
  tenantId: string;
  workspace: string;
  current: boolean;
}
const sessions = async (account: Pick<Account, 'accessToken'>, query = '') =>
  (await identity.send('GET', `/api/auth/sessions${query}`, account)).body as unknown as {
    data: Row[];
    total: number;
    nextCursor: string | null;
  };
const end = (account: Pick<Account, 'accessToken'>, id = '') =>
  identity.send('DELETE', `/api/auth/sessions${id && `/${id}`}`, account);

/** A consultant with two sessions at home and one at the customer's. */
async function inBoth() {
  const { home, customer, there } = await consultant(identity);
  await identity.query(home.tenantId, 'DELETE FROM session WHERE user_id = $1', [home.userId]);
  const first = await identity.signedIn(home.email);
  const { body: switched } = await switchTo(identity, first, customer.tenantId);
  await identity.queryAll('UPDATE sign_in_email SET tenant_id = $2, user_id = $3 WHERE email = $1', [
    home.email,
    home.tenantId,
    home.userId,
  ]);
  return { home, customer, there, first, switched, second: await identity.signedIn(home.email) };
}

/** Someone whom the provider of a workspace knows, and who has proven their address and is in another one too. */
async function colleague() {
  const account = await stage.colleague();
  await prove(identity, account);
  const owner = await identity.account();
  await joined(identity, account, owner);
  const atProvider = async () => {
    stage.provider.claims = { auth_time: Math.floor(Date.now() / 1000) };
    return (await stage.exchanged(await stage.begunBy(account.email))).body;
  };
  return { account, elsewhere: owner.tenantId, atProvider };
}

describe('the sessions of a person', () => {
  it('are listed with their workspaces, the newest first, page by page', async () => {
    const { home, customer, second } = await inBoth();
    const { data, total } = await sessions(second);
    const places = [
      { tenantId: home.tenantId, workspace: 'Home', current: true },
      { tenantId: customer.tenantId, workspace: 'Customer', current: false },
      { tenantId: home.tenantId, workspace: 'Home', current: false },
    ];
    expect([total, data]).toMatchObject([3, places]);
    const page = await sessions(second, '?size=2');
    expect([page.total, page.data.map(({ id }) => id)]).toEqual([3, data.slice(0, 2).map(({ id }) => id)]);
    const rest = await sessions(second, `?size=2&cursor=${page.nextCursor}`);
    expect([rest.data.map(({ id }) => id), rest.nextCursor]).toEqual([[data[2]?.id], null]);
    expect(await sessions(second, '?page=9')).toMatchObject({ data: [], total: 3 });
  });

  it('are ended one by one, wherever they are, and never those of others', async () => {
    const { customer, there, first, second, switched } = await inBoth();
    const [, ofCustomer] = (await sessions(second)).data;
    const stranger = await identity.account();
    for (const answer of [
      await end(stranger, ofCustomer?.id),
      await end(customer, ofCustomer?.id),
      await end(second, newId()),
    ]) {
      expect(await outcome(answer)).toEqual([404, 'NOT_FOUND']);
    }
    for (const status of [204, 404]) expect((await end(second, ofCustomer?.id)).status).toBe(status);
    await identity.refuses(switched.accessToken);
    expect((await identity.me(first.accessToken)).status).toBe(200);
    const [entry] = await auditOf(identity, customer, '&action=session.ended');
    expect(entry).toMatchObject({ actor: { kind: 'user', id: there.userId }, subject: { id: there.userId } });
  });

  it('are ended all at once in every workspace', async () => {
    const { first, second, switched } = await inBoth();
    expect((await end(second)).status).toBe(204);
    for (const { accessToken } of [first, second, switched]) await identity.refuses(accessToken);
    expect((await identity.refresh(switched.refreshToken)).status).toBe(401);
  });

  it('are seen by administrators in their own workspace only', async () => {
    const { customer, there } = await inBoth();
    const path = `/api/tenant/users/${there.userId}/sessions`;
    const { body } = await identity.send('GET', path, customer);
    expect([body.total, body.data[0]]).toEqual([1, expect.not.objectContaining({ workspace: expect.anything() })]);
    expect((await identity.send('DELETE', path, customer)).status).toBe(204);
    const sql = 'SELECT count(*)::integer AS open FROM session WHERE user_id = $1';
    expect(await identity.query(customer.tenantId, sql, [there.userId])).toEqual([{ open: 0 }]);
  });

  it('are those of the workspace in a session from before the address was proven', async () => {
    const { home, second, switched } = await inBoth();
    await identity.query(home.tenantId, "UPDATE session SET created_at = now() - interval '1 hour'");
    const { data, total } = await sessions(second);
    expect([total, new Set(data.map(({ tenantId }) => tenantId))]).toEqual([2, new Set([home.tenantId])]);
    expect((await end(second)).status).toBe(204);
    expect((await identity.me(switched.accessToken)).status).toBe(200);
  });
});

describe('a session that a provider has opened', () => {
  it('knows other workspaces by the password alone, and neither enters them nor sees or ends the sessions there', async () => {
    const { account, elsewhere, atProvider } = await colleague();
    const opened = await atProvider();
    const body = { tenantId: elsewhere };
    const switched = await identity.send('POST', '/api/auth/switch', account, body);
    // The password of before the address was proven is none of the person's session either.
    expect(await outcome(switched)).toEqual([403, 'STEP_UP_REQUIRED']);
    const own = await identity.signedIn(account.email);
    const { body: there } = await switchTo(identity, own, elsewhere);
    const places = ({ body }: Answer) => (body.data as unknown as Row[]).map(({ tenantId }) => tenantId);
    const known = await identity.send('GET', '/api/auth/workspaces', opened);
    expect([places(known), known.body]).toMatchObject([[account.tenantId], { partial: true }]);
    const listAll = (password: string) => identity.send('POST', '/api/auth/workspaces', opened, { password });
    expect(await outcome(listAll('not-the-password'))).toEqual([401, 'INVALID_CREDENTIALS']);
    expect(places(await listAll(PASSWORD)).sort()).toEqual([account.tenantId, elsewhere].sort());
    const whole = await identity.send('GET', '/api/auth/workspaces', own);
    expect([places(whole).sort(), whole.body]).toMatchObject([
      [account.tenantId, elsewhere].sort(),
      { partial: false },
    ]);
    expect(await outcome(switchTo(identity, opened, elsewhere))).toEqual([403, 'STEP_UP_REQUIRED']);
    const [ofOther] = (await sessions(there)).data.filter(({ tenantId }) => tenantId === elsewhere);
    expect((await sessions(opened)).data.map(({ tenantId }) => tenantId)).not.toContain(elsewhere);
    expect(await outcome(end(opened, ofOther?.id))).toEqual([404, 'NOT_FOUND']);
    expect((await end(opened)).status).toBe(204);
    expect((await identity.me(there.accessToken)).status).toBe(200);
  });

  it('neither lists nor exports what waits for the person elsewhere, or where they are', async () => {
    const { account, elsewhere, atProvider } = await colleague();
    const { tenantId } = await identity.account();
    await addLocal(identity, tenantId, account.email);
    const own = await identity.signedIn(account.email);
    const found: string[][] = [];
    for (const by of [await atProvider(), own]) {
      const offers = await identity.send('GET', '/api/auth/workspaces/offers', by);
      const archive = await identity.send('POST', '/api/auth/me/export', by);
      expect([offers.status, archive.status]).toEqual([200, 200]);
      const text = JSON.stringify([offers.body, archive.body]);
      found.push([tenantId, elsewhere].filter((id) => text.includes(id)));
    }
    expect(found).toEqual([[], [tenantId, elsewhere]]);
  });

  it('does not change the address of a person who is elsewhere too', async () => {
    const { account, atProvider } = await colleague();
    await identity.query(account.tenantId, 'UPDATE app_user SET password_hash = NULL WHERE id = $1', [account.userId]);
    const change = identity.send('POST', '/api/auth/email-change', await atProvider(), { email: newEmail() });
    expect([await outcome(change), (await change).body]).toMatchObject([[403, 'STEP_UP_REQUIRED'], { proofs: [] }]);
  });

  it('sets up no passkey that opens more than it', async () => {
    const { account, elsewhere, atProvider } = await colleague();
    const [planted, own] = [newAuthenticator(), newAuthenticator()];
    expect((await register(identity, await atProvider(), planted)).status).toBe(201);
    expect((await register(identity, await identity.signedIn(account.email), own)).status).toBe(201);
    const byPlanted = await signIn(identity, planted);
    expect([byPlanted.status, await sessionOf(identity, byPlanted)]).toMatchObject([200, { personProven: false }]);
    expect(await outcome(switchTo(identity, byPlanted.body, elsewhere))).toEqual([403, 'STEP_UP_REQUIRED']);
    const byOwn = await signIn(identity, own);
    expect((await switchTo(identity, byOwn.body, elsewhere)).status).toBe(200);
    // The device of a planted one would have guesses of its own at the password of the person.
    const tokens = [byPlanted, byOwn].map(({ headers }) => headers.get('x-device-token'));
    expect(tokens).toEqual([null, expect.any(String)]);
  });
});

describe('a passkey from before the address was proven', () => {
  it('opens nothing but its own workspace', async () => {
    const { member } = await identity.team('member');
    const planted = newAuthenticator();
    expect((await register(identity, member, planted)).status).toBe(201);
    await prove(identity, member);
    const { tenantId } = await joined(identity, member, await identity.account());
    const opened = await signIn(identity, planted);
    expect([opened.status, await sessionOf(identity, opened)]).toMatchObject([200, { personProven: false }]);
    expect(await outcome(switchTo(identity, opened.body, tenantId))).toEqual([403, 'STEP_UP_REQUIRED']);
  });
});

describe('a change of the whole person', () => {
  type By = Pick<Account, 'accessToken'>;
  const erase = (by: By) => identity.send('DELETE', '/api/auth/me', by);
  const changeAddress = (by: By) =>
    identity.send('POST', '/api/auth/email-change', by, { email: newEmail(), password: PASSWORD });

  it.each([
    // Anyone who owns a workspace alone is told so once nothing else is in the way.
    ['an erasure', erase, [409, 'CONFLICT']],
    ['a change of the address', changeAddress, [202, undefined]],
  ])('is refused without the second factor that the person has elsewhere: %s', async (_change, make, admitted) => {
    const { home, there } = await consultant(identity);
    const inside = await enter(identity, there);
    expect(await outcome(make(home))).toEqual(admitted);
    await enrol(identity, inside);
    const refused = await make(home);
    expect([refused.status, refused.body]).toMatchObject([403, { code: 'STEP_UP_REQUIRED', proofs: [] }]);
    expect(await outcome(make(inside))).toEqual(admitted);
  });

  describe('by someone with the password alone, who has set up a second factor in the weakest workspace,', () => {
    const answerOffer = (answer: string) => async (by: By) => {
      const { email } = (await identity.me(by.accessToken)).body as unknown as Account;
      const userId = await addLocal(identity, (await identity.account()).tenantId, email);
      return identity.send('POST', `/api/auth/workspaces/offers/${userId}/${answer}`, by);
    };
    const newPassword = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
    const ways: [string, (by: By) => Promise<Answer>, number][] = [
      ['DELETE /api/auth/me', erase, 409],
      ['POST /api/auth/email-change', changeAddress, 202],
      ['POST /api/auth/password', (by) => identity.send('POST', '/api/auth/password', by, newPassword), 200],
      ['POST /api/auth/workspaces/offers/:userId/accept', answerOffer('accept'), 204],
      ['POST /api/auth/workspaces/offers/:userId/decline', answerOffer('decline'), 204],
    ];

    it('is refused by each route that the access matrix has for it', async () => {
      const matrix = await readFile(path.join(import.meta.dirname, '../../../e2e/access-matrix.txt'), 'utf8');
      const routes = [...matrix.matchAll(/^identity (.+): .*, person proof$/gm)].map(([, route]) => route);
      expect(ways.map(([route]) => route)).toEqual(routes);
    });

    it.each(ways)('is refused: %s', async (_route, make, admitted) => {
      const { home, there } = await consultant(identity);
      const inside = await enter(identity, there);
      await enrol(identity, inside);
      const thief = await enter(identity, home);
      await enrol(identity, thief);
      const refused = await make(thief);
      expect([refused.status, refused.body]).toMatchObject([403, { code: 'STEP_UP_REQUIRED', proofs: [] }]);
      expect((await make(inside)).status).toBe(admitted);
    });

    it('is refused where the second factor of the person is a code by mail', async () => {
      const { home, there } = await consultant(identity);
      const inside = await enter(identity, there);
      expect((await identity.setSecondFactor(inside.accessToken, true)).status).toBe(204);
      const thief = await enter(identity, home);
      await enrol(identity, thief);
      expect(await outcome(erase(thief))).toEqual([403, 'STEP_UP_REQUIRED']);
    });

    it.each(['an authenticator that goes again', 'codes by mail'])('is refused after %s', async (way) => {
      const { home, there } = await consultant(identity);
      const inside = await enter(identity, there);
      expect((await identity.setSecondFactor(inside.accessToken, true)).status).toBe(204);
      const thief = await enter(identity, home);
      if (way === 'codes by mail') await identity.setSecondFactor(thief.accessToken, true);
      else {
        await enrol(identity, thief);
        expect((await identity.send('DELETE', '/api/auth/mfa/authenticator', thief)).status).toBe(204);
      }
      expect(await outcome(erase(thief))).toEqual([403, 'STEP_UP_REQUIRED']);
    });

    it('reaches no session elsewhere by turning codes by mail on, as they are elsewhere', async () => {
      const { home, there } = await consultant(identity);
      const inside = await enter(identity, there);
      const thief = await enter(identity, home);
      for (const { accessToken } of [inside, thief]) await identity.setSecondFactor(accessToken, true);
      expect(new Set((await sessions(thief)).data.map(({ tenantId }) => tenantId))).toEqual(new Set([home.tenantId]));
    });

    it('reaches no session elsewhere', async () => {
      const { home, there } = await consultant(identity);
      const inside = await enter(identity, there);
      await enrol(identity, inside);
      const thief = await enter(identity, home);
      expect(new Set((await sessions(thief)).data.map(({ tenantId }) => tenantId))).toEqual(new Set([home.tenantId]));
      expect((await end(thief)).status).toBe(204);
      expect((await identity.me(inside.accessToken)).status).toBe(200);
      expect((await sessions(inside)).total).toBe(1);
    });
  });

  it.each(['active', 'disabled'])('is refused to a provider where the person is %s elsewhere', async (status) => {
    const { home, there } = await consultant(identity);
    await identity.query(there.tenantId, 'UPDATE app_user SET status = $2 WHERE id = $1', [there.userId, status]);
    const byProvider = await enter(identity, home, 'provider');
    expect(await outcome(erase(byProvider))).toEqual([403, 'STEP_UP_REQUIRED']);
  });
});

describe('a workspace that requires single sign-on', () => {
  const requireIt = (tenantId: string) =>
    identity.query(
      tenantId,
      `INSERT INTO sign_in_policy (tenant_id, second_factor, single_sign_on) VALUES ($1, 'optional', 'required')
       ON CONFLICT (tenant_id) DO UPDATE SET single_sign_on = 'required'`,
      [tenantId],
    );

  it('locks nobody out of another workspace of theirs, wherever they were last', async () => {
    const { home, there } = await consultant(identity);
    await enter(identity, there);
    await requireIt(there.tenantId);
    expect(await identity.signedIn(home.email)).toMatchObject({ tenantId: home.tenantId, userId: home.userId });
    const named = { email: home.email, password: PASSWORD, workspace: there.tenantId };
    expect(await outcome(identity.post('/api/auth/login', named))).toEqual([403, 'SINGLE_SIGN_ON_REQUIRED']);
    await requireIt(home.tenantId);
    await identity.query(home.tenantId, "UPDATE app_user SET roles = '{member}' WHERE id = $1", [home.userId]);
    expect(await outcome(identity.login(home.email))).toEqual([403, 'SINGLE_SIGN_ON_REQUIRED']);
  });

  it('invites nobody whom no provider of it can know, but owners, who have passwords', async () => {
    const { owner, domain } = await stage.proven();
    await requireIt(owner.tenantId);
    const invite = (email: string, role = 'member') =>
      identity.send('POST', '/api/tenant/users', owner, { email, name: 'Guest', roles: [role] });
    const refused = await invite(newEmail());
    const errors = [{ pointer: '/email', code: 'SINGLE_SIGN_ON_REQUIRED' }];
    expect([refused.status, refused.body]).toMatchObject([422, { code: 'VALIDATION_FAILED', errors }]);
    expect((await invite(newEmail(), 'owner')).status).toBe(201);
    expect((await invite(newEmail().replace(/@.*/, `@${domain}`))).status).toBe(201);
  });

  it('says before someone accepts what they will sign in by', async () => {
    const { home } = await consultant(identity);
    const [free, strict] = [await identity.account(), await identity.account()];
    // It has proven a domain, which is not that of the guest.
    const { owner: exempt } = await stage.proven();
    await requireIt(strict.tenantId);
    await requireIt(exempt.tenantId);
    for (const { tenantId } of [free, strict, exempt]) await addLocal(identity, tenantId, home.email);
    const needed = async () => {
      const { body } = await identity.send('GET', '/api/auth/workspaces/offers', await enter(identity, home));
      const offers = body.data as unknown as { tenantId: string; signsInBy: string }[];
      return [free, strict, exempt].map(
        ({ tenantId }) => offers.find((offer) => offer.tenantId === tenantId)?.signsInBy,
      );
    };
    expect(await needed()).toEqual(['password', 'identity_provider', 'password']);
  });
});
