import { newId } from '@crm/database';
import { suspendTenant, TEST_ISSUER, waitUntil } from '@crm/testing';
import { describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { auditOf, entryOf } from './audit.js';
import { enrol, TestAuthenticator } from './authenticators.js';
import { EmbedHost } from './embed-host.js';
import { type Account, type Answer, outcome, PASSWORD, withMail } from './identity.js';
import { TestKeys } from './keys.js';
import { codeIn } from './mail-server.js';
import { granted, installed } from './oauth.js';
import { consultant, joined, sessionOf, switchTo } from './persons.js';

const { identity, mailServer } = withMail();
const keys = TestKeys.ofFile(identity);

const workspaces = (account: Pick<Account, 'accessToken'>) => identity.send('GET', '/api/auth/workspaces', account);
const set = (tenantId: string, sql: string) => identity.query(tenantId, sql);
/** Has the workspace demand something of sign-ins. */
const demand = ({ tenantId }: Pick<Account, 'tenantId'>, secondFactor: string, singleSignOn = 'optional') => {
  const sql = 'INSERT INTO sign_in_policy (tenant_id, second_factor, single_sign_on) VALUES ($1, $2, $3)';
  return identity.query(tenantId, sql, [tenantId, secondFactor, singleSignOn]);
};
const verify = (challengeId: string, code: string) => identity.post('/api/auth/mfa/verify', { challengeId, code });
const tokensOf = (answer: Answer): Account => {
  if (answer.status !== 200) throw new Error(`Switch: ${JSON.stringify(answer.body)}`);
  const { sub: userId, tid: tenantId } = decodeJwt(answer.body.accessToken) as { sub: string; tid: string };
  return { ...answer.body, email: '', userId, tenantId };
};

describe('GET /api/auth/workspaces', () => {
  it('lists where the person is an active user, with the roles there', async () => {
    const { home, customer } = await consultant(identity, ['viewer']);
    const [closed, left] = [await identity.account(), await identity.account()];
    await joined(identity, home, closed);
    await set(closed.tenantId, 'UPDATE tenant SET closed_at = now()');
    const { userId } = await joined(identity, home, left);
    await identity.query(left.tenantId, "UPDATE app_user SET status = 'disabled' WHERE id = $1", [userId]);
    const { status, body } = await workspaces(home);
    const expected = [
      { tenantId: customer.tenantId, name: 'Customer', roles: ['viewer'], current: false },
      { tenantId: home.tenantId, name: 'Home', roles: ['owner'], current: true },
    ];
    expect([status, body.data]).toEqual([200, expected]);
  });

  it('lists of a local account the one that it is in', async () => {
    const { owner, member } = await identity.team('member');
    const [only] = (await workspaces(member)).body.data;
    expect(only).toMatchObject({ tenantId: owner.tenantId, roles: ['member'], current: true });
    expect((await workspaces(member)).body.data).toHaveLength(1);
  });
});

describe('POST /api/auth/switch', () => {
  it('answers tokens of the other workspace, where the next sign-in leads; the session before stays', async () => {
    const { home, customer, there } = await consultant(identity);
    const answer = await switchTo(identity, home, customer.tenantId);
    expect([answer.status, answer.headers.get('x-device-token')]).toEqual([200, expect.any(String)]);
    const switched = tokensOf(answer);
    expect((await identity.me(switched.accessToken)).body).toMatchObject({
      id: there.userId,
      roles: ['member'],
      tenant: { id: customer.tenantId },
    });
    expect((await identity.refresh(switched.refreshToken)).status).toBe(200);
    expect((await identity.me(home.accessToken)).body).toMatchObject({ tenant: { id: home.tenantId } });
    const [entry] = await auditOf(identity, customer, `&action=sign_in.succeeded&actor=${there.userId}`);
    expect(entry).toMatchObject({ actor: { kind: 'user', id: there.userId }, detail: { method: 'switch' } });
    const sql = 'SELECT tenant_id AS "tenantId", user_id AS "userId" FROM sign_in_email WHERE email = $1';
    const { email, ...used } = there;
    expect(await identity.queryAll(sql, [email])).toEqual([used]);
    expect(tokensOf(await switchTo(identity, switched, home.tenantId)).tenantId).toBe(home.tenantId);
  });

  it.each<[string, (home: Account) => Promise<string>]>([
    ['does not exist', async () => newId()],
    ['is of others', async () => (await identity.account()).tenantId],
    [
      'has their address in a local account',
      async (home) => {
        const { tenantId } = await identity.account();
        const id = newId();
        const user = `INSERT INTO app_user (tenant_id, id, email, name, roles, status, origin)
          VALUES ($1, $2, $3, 'X', '{member}', 'active', 'administrator')`;
        await identity.query(tenantId, user, [tenantId, id, home.email]);
        const local = 'INSERT INTO local_account (user_id, tenant_id, email) VALUES ($1, $2, $3)';
        await identity.queryAll(local, [id, tenantId, home.email]);
        return tenantId;
      },
    ],
    [
      'they have left',
      async (home) => {
        const { tenantId, userId } = await joined(identity, home, await identity.account());
        await identity.queryAll('DELETE FROM membership WHERE user_id = $1', [userId]);
        return tenantId;
      },
    ],
    [
      'has disabled them',
      async (home) => {
        const { tenantId, userId } = await joined(identity, home, await identity.account());
        await identity.query(tenantId, "UPDATE app_user SET status = 'disabled' WHERE id = $1", [userId]);
        return tenantId;
      },
    ],
    [
      'is closed',
      async (home) => {
        const { tenantId } = await joined(identity, home, await identity.account());
        await set(tenantId, 'UPDATE tenant SET closed_at = now()');
        return tenantId;
      },
    ],
  ])('knows no workspace that %s', async (_what, workspaceFor) => {
    const home = await identity.account();
    const tenantId = await workspaceFor(home);
    const telling = async (id: string) => {
      const { status, body } = await switchTo(identity, home, id);
      return [status, { ...body, requestId: undefined }];
    };
    expect(await telling(tenantId)).toEqual(await telling(newId()));
    expect(await outcome(switchTo(identity, home, tenantId, PASSWORD))).toEqual([404, 'NOT_FOUND']);
  });

  it('leads a local account nowhere, not even to its own workspace', async () => {
    const { owner, member } = await identity.team('member');
    expect(await outcome(switchTo(identity, member, owner.tenantId, PASSWORD))).toEqual([404, 'NOT_FOUND']);
  });

  it('is for sessions of people: not for keys, apps and embedding', async () => {
    const home = await identity.account();
    const app = await installed(identity, { admin: home });
    const host = await EmbedHost.start(identity, {}, home);
    for (const [token, code] of [
      [await keys.exchange((await keys.make(home)).key), 'API_KEY_REFUSED'],
      [(await granted(identity, app, home)).access_token, 'FORBIDDEN'],
      [(await host.mint()).embedToken, 'EMBED_TOKEN_REFUSED'],
    ] as const) {
      const refused = [
        await workspaces({ accessToken: token }),
        await switchTo(identity, { accessToken: token }, newId()),
      ];
      expect(refused.map((answer) => answer.body.code)).toEqual([code, code]);
    }
  });

  it('ends with the session: a token whose session has ended opens none', async () => {
    const { home, customer } = await consultant(identity);
    await set(home.tenantId, 'DELETE FROM session');
    for (const password of [undefined, PASSWORD]) {
      expect(await outcome(switchTo(identity, home, customer.tenantId, password))).toEqual([401, 'TOKEN_REVOKED']);
    }
  });

  it('moves the session of a page, whose one before ends', async () => {
    const { home, customer } = await consultant(identity);
    const headers = { origin: TEST_ISSUER, 'x-requested-with': 'crm-page' };
    const page = (path: string, body: object, cookie = '') =>
      identity.request('POST', `/api/auth/session${path}`, { body, headers: { ...headers, cookie } });
    const cookieOf = (answer: Answer) => answer.headers.get('set-cookie')?.split(';')[0] ?? '';
    const begun = await page('', { email: home.email, password: PASSWORD });
    const { refreshToken } = tokensOf(await switchTo(identity, begun.body, customer.tenantId));
    const moved = await page('/refresh', { refreshToken }, cookieOf(begun));
    expect((await identity.me(moved.body.accessToken)).body.tenant.id).toBe(customer.tenantId);
    await identity.refuses(begun.body.accessToken);
    const again = await page('/refresh', {}, cookieOf(moved));
    expect((await identity.me(again.body.accessToken)).body.tenant.id).toBe(customer.tenantId);
    expect((await identity.me(home.accessToken)).status).toBe(200);
  });
});

describe('the proof of a session', () => {
  it('goes on as old as it is, and so does its end', async () => {
    const { home, customer } = await consultant(identity);
    await identity.forgetProofs(home.tenantId);
    await set(home.tenantId, "UPDATE session SET ends_at = now() + interval '100 seconds'");
    const answer = await switchTo(identity, home, customer.tenantId);
    expect(answer.body.expiresIn).toBeLessThanOrEqual(100);
    const [before, after] = [await sessionOf(identity, { body: home as never }), await sessionOf(identity, answer)];
    expect(after).toEqual(before);
    const enrolment = await identity.send('POST', '/api/auth/mfa/authenticator', tokensOf(answer), {});
    expect(await outcome(enrolment)).toEqual([403, 'STEP_UP_REQUIRED']);
  });

  it('is renewed by the password', async () => {
    const { home, customer } = await consultant(identity);
    await identity.forgetProofs(home.tenantId);
    const switched = tokensOf(await switchTo(identity, home, customer.tenantId, PASSWORD));
    expect((await identity.send('POST', '/api/auth/mfa/authenticator', switched, {})).status).toBe(201);
  });

  it.each([
    ['that a provider has opened', 'UPDATE session SET person_proven = false'],
    ['from before the address was proven', "UPDATE session SET created_at = now() - interval '1 hour'"],
  ])('is not enough in one %s: the password is', async (_which, sql) => {
    const { home, customer } = await consultant(identity);
    await set(home.tenantId, sql);
    const refused = await switchTo(identity, home, customer.tenantId);
    expect([refused.status, refused.body]).toMatchObject([403, { code: 'STEP_UP_REQUIRED', proofs: ['password'] }]);
    for (const _ of Array.from({ length: 10 })) {
      expect(await outcome(switchTo(identity, home, customer.tenantId, 'wrong'))).toEqual([401, 'INVALID_CREDENTIALS']);
    }
    // Failed sign-ins have the same limit, and these are guesses too.
    expect(await outcome(switchTo(identity, home, customer.tenantId, PASSWORD))).toEqual([429, 'RATE_LIMITED']);
    expect(await outcome(identity.login(home.email))).toEqual([429, 'RATE_LIMITED']);
    const elsewhere = { token: home.accessToken, headers: { 'x-forwarded-for': '198.51.100.250' } };
    const body = { tenantId: customer.tenantId, password: PASSWORD };
    const answer = await identity.request('POST', '/api/auth/switch', { ...elsewhere, body });
    expect([answer.status, await sessionOf(identity, answer)]).toMatchObject([200, { personProven: true }]);
    expect(await entryOf(identity, home, 'proof.failed')).toMatchObject({ subject: { id: home.userId } });
  });
});

describe('what the other workspace demands', () => {
  it('keeps everybody out of a suspended one', async () => {
    const { home, customer } = await consultant(identity);
    await suspendTenant(customer.tenantId);
    const code = async () => (await switchTo(identity, home, customer.tenantId)).body.code;
    await waitUntil(async () => (await code()) === 'WORKSPACE_SUSPENDED', { describe: 'the suspension' });
  });

  it('sends members to its identity provider, but not owners, whom it asks for a code', async () => {
    const { home, customer } = await consultant(identity);
    await demand(customer, 'optional', 'required');
    const refused = [undefined, PASSWORD].map((password) => switchTo(identity, home, customer.tenantId, password));
    for (const answer of refused) expect(await outcome(answer)).toEqual([403, 'SINGLE_SIGN_ON_REQUIRED']);
    const { home: second, customer: another } = await consultant(identity, ['owner']);
    await demand(another, 'optional', 'required');
    const asked = await mailServer.sentBy(second.email, () => switchTo(identity, second, another.tenantId));
    expect(asked.answer.body).toMatchObject({ mfaRequired: true, methods: ['mail'] });
    const answer = await verify(asked.answer.body.challengeId, codeIn(asked.text));
    expect(tokensOf(answer).tenantId).toBe(another.tenantId);
  });

  it('asks for the second factor of the user there, which is a new proof', async () => {
    const { home, customer, there } = await consultant(identity);
    const { app } = await enrol(identity, tokensOf(await switchTo(identity, home, customer.tenantId)));
    await set(home.tenantId, "UPDATE session SET proven_at = now() - interval '601 seconds'");
    const { body } = await switchTo(identity, home, customer.tenantId);
    expect(body).toMatchObject({ mfaRequired: true, methods: ['authenticator', 'recovery_code'] });
    expect(await outcome(verify(body.challengeId, app.wrongCode()))).toEqual([401, 'INVALID_CREDENTIALS']);
    const answer = await verify(body.challengeId, await app.freshCode());
    expect(tokensOf(answer)).toMatchObject({ userId: there.userId, tenantId: customer.tenantId });
    const { provenAt, personProven } = await sessionOf(identity, answer);
    expect([Date.now() - (provenAt?.getTime() ?? 0) < 60_000, personProven]).toEqual([true, true]);
    const [entry] = await auditOf(identity, customer, `&action=sign_in.succeeded&actor=${there.userId}`);
    expect(entry?.detail).toMatchObject({ method: 'switch+authenticator' });
    expect((await identity.login(home.email)).body).toMatchObject({ mfaRequired: true });
  });

  it('has a user set up the second factor that it requires, which proves nothing', async () => {
    const { home, customer } = await consultant(identity);
    await demand(customer, 'required');
    await set(home.tenantId, "UPDATE session SET proven_at = now() - interval '300 seconds'");
    const { body } = await switchTo(identity, home, customer.tenantId);
    expect(body).toMatchObject({ mfaEnrolmentRequired: true });
    const { enrolmentToken } = body;
    const { secret } = (await identity.post('/api/auth/mfa/enrolment', { enrolmentToken })).body;
    const code = new TestAuthenticator(identity, customer.tenantId, secret).code();
    const answer = await identity.post('/api/auth/mfa/enrolment/confirm', { enrolmentToken, code });
    expect(tokensOf(answer).tenantId).toBe(customer.tenantId);
    expect((await sessionOf(identity, answer)).provenAt).toEqual(
      (await sessionOf(identity, { body: home as never })).provenAt,
    );
  });

  it.each(["now() - interval '601 seconds'", 'NULL'])(
    'has nobody set one up in a session that was proven at %s, but after the password',
    async (provenAt) => {
      const { home, customer } = await consultant(identity);
      await demand(customer, 'required');
      await set(home.tenantId, `UPDATE session SET proven_at = ${provenAt}`);
      const refused = await switchTo(identity, home, customer.tenantId);
      expect([refused.status, refused.body]).toMatchObject([403, { code: 'STEP_UP_REQUIRED', proofs: ['password'] }]);
      const { body } = await switchTo(identity, home, customer.tenantId, PASSWORD);
      expect(body).toMatchObject({ mfaEnrolmentRequired: true });
    },
  );

  it('ends with the sessions of the person, also where a code is awaited', async () => {
    const { home, customer } = await consultant(identity);
    const inside = tokensOf(await switchTo(identity, home, customer.tenantId));
    const { app } = await enrol(identity, inside);
    const { body } = await switchTo(identity, home, customer.tenantId);
    expect((await identity.send('DELETE', '/api/auth/sessions', inside)).status).toBe(204);
    expect(await outcome(verify(body.challengeId, await app.freshCode()))).toEqual([401, 'INVALID_CREDENTIALS']);
  });
});
