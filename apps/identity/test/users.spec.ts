import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newEmail, PASSWORD, TestIdentity } from './identity.js';

let identity: TestIdentity;
beforeAll(async () => {
  identity = await TestIdentity.start();
});
afterAll(() => identity?.close());

const add = (token: string, changes: Record<string, unknown> = {}) =>
  identity.post(
    '/api/tenant/users',
    { email: newEmail(), name: 'Grace', password: PASSWORD, roles: ['member'], ...changes },
    token,
  );
const change = (token: string, id: string, body: unknown) =>
  identity.request('PATCH', `/api/tenant/users/${id}`, { token, body });
const list = (token: string, query = '') => identity.request('GET', `/api/tenant/users${query}`, { token });

describe('POST /api/tenant/users', () => {
  it('adds a user who can sign in', async () => {
    const owner = await identity.account();
    const email = newEmail();
    const { status, body } = await add(owner.accessToken, { email });
    expect(status).toBe(201);
    expect(body).toMatchObject({ email, name: 'Grace', roles: ['member'], status: 'active' });
    expect(body).not.toHaveProperty('passwordHash');
    const signedIn = await identity.signedIn(email);
    expect(signedIn.tenantId).toBe(owner.tenantId);
  });

  it.each([
    [['admin'], ['owner'], 403],
    [['admin'], ['admin'], 201],
    [['admin'], ['member', 'sales-lead'], 201],
    [['owner'], ['owner'], 201],
    [['owner'], ['app'], 403],
    [['owner'], ['operator'], 403],
    [['owner'], ['system'], 403],
  ])('answers a user with the roles %j who grants %j with %i', async (granting, granted, expected) => {
    const owner = await identity.account();
    const caller = granting[0] === 'owner' ? owner : await identity.member(owner, granting);
    const { status, body } = await add(caller.accessToken, { roles: granted });
    expect(status).toBe(expected);
    if (status === 403) expect(body.code).toBe('ROLE_NOT_GRANTABLE');
  });

  it.each([['member'], ['viewer'], ['sales-lead']])('refuses a caller who is a %s', async (role) => {
    const owner = await identity.account();
    const caller = await identity.member(owner, [role]);
    const { status, body } = await add(caller.accessToken);
    expect([status, body.code]).toEqual([403, 'FORBIDDEN']);
  });

  it('refuses an address that has an account, here or in another workspace', async () => {
    const [mine, theirs] = [await identity.account(), await identity.account()];
    for (const email of [mine.email, theirs.email]) {
      const { status, body } = await add(mine.accessToken, { email });
      expect([status, body.code]).toEqual([409, 'EMAIL_TAKEN']);
    }
  });

  it.each([[{ roles: [] }], [{ roles: ['No Name'] }], [{ roles: 'member' }], [{ password: 'short' }], [{ name: '' }]])(
    'refuses to add a user with %j',
    async (changes) => {
      const owner = await identity.account();
      expect((await add(owner.accessToken, changes)).status).toBe(422);
    },
  );
});

describe('a stolen access token', () => {
  it('neither adds a user nor gives a role: both need a recent proof', async () => {
    const owner = await identity.account();
    const member = await identity.member(owner);
    await identity.forgetProofs(owner.tenantId);
    expect((await add(owner.accessToken, { roles: ['owner'] })).body.code).toBe('STEP_UP_REQUIRED');
    const invited = await add(owner.accessToken, { roles: ['owner'], password: undefined });
    expect(invited.body.code).toBe('STEP_UP_REQUIRED');
    const raise = { roles: ['member', 'admin'] };
    expect((await change(owner.accessToken, member.userId, raise)).body.code).toBe('STEP_UP_REQUIRED');
    expect((await change(owner.accessToken, member.userId, { name: 'Grace', roles: ['member'] })).status).toBe(200);
    await identity.stepUp(owner.accessToken);
    expect((await change(owner.accessToken, member.userId, raise)).status).toBe(200);
    expect((await add(owner.accessToken, { roles: ['owner'] })).status).toBe(201);
  });
});

describe('GET /api/tenant/users', () => {
  it('pages through the users of the workspace and shows no user of another one', async () => {
    const owner = await identity.account();
    await identity.account();
    for (let count = 0; count < 3; count += 1) await add(owner.accessToken);
    const { body } = await list(owner.accessToken, '?size=3');
    expect(body).toMatchObject({ page: 1, size: 3, total: 4, totalIsExact: true, hasMore: true });
    expect(body.data[0]?.id).toBe(owner.userId);
    const { body: rest } = await list(owner.accessToken, '?size=3&page=2');
    expect(rest).toMatchObject({ total: 4, hasMore: false });
    expect(rest.data).toHaveLength(1);
  });

  it.each(['?page=0', '?size=201', '?size=x', '?colour=red'])(
    'refuses to list users with the query %s',
    async (query) => {
      const owner = await identity.account();
      const { status, body } = await list(owner.accessToken, query);
      expect([status, body.code]).toEqual([400, 'INVALID_QUERY']);
    },
  );

  it('answers a user of another workspace like an unknown one', async () => {
    const [mine, theirs] = [await identity.account(), await identity.account()];
    const paths = [theirs.userId, '0190a000-0000-7000-8000-000000000000', 'nonsense'];
    for (const id of paths) {
      const answer = await identity.request('GET', `/api/tenant/users/${id}`, { token: mine.accessToken });
      expect([answer.status, answer.body.code]).toEqual([404, 'NOT_FOUND']);
      expect((await change(mine.accessToken, id, { name: 'Taken over' })).status).toBe(404);
    }
    const own = await identity.request('GET', `/api/tenant/users/${theirs.userId}`, { token: theirs.accessToken });
    expect(own.body.name).toBe('Somebody');
  });
});

describe('PATCH /api/tenant/users/{id}', () => {
  it('ends the sessions of a user who is disabled and answers their sign-in like a wrong password', async () => {
    const owner = await identity.account();
    const member = await identity.member(owner);
    const { status, body } = await change(owner.accessToken, member.userId, { status: 'disabled' });
    expect([status, body.status]).toEqual([200, 'disabled']);
    expect((await identity.login(member.email)).body.code).toBe('INVALID_CREDENTIALS');
    expect((await identity.post('/api/auth/refresh', { refreshToken: member.refreshToken })).status).toBe(401);
    await identity.refuses(member.accessToken);
    expect((await change(owner.accessToken, member.userId, { status: 'active' })).status).toBe(200);
    expect((await identity.login(member.email)).status).toBe(200);
  });

  it('refuses an administrator who changes an owner or makes one', async () => {
    const owner = await identity.account();
    const admin = await identity.member(owner, ['admin']);
    const member = await identity.member(owner);
    for (const [id, body] of [
      [owner.userId, { status: 'disabled' }],
      [owner.userId, { roles: ['viewer'] }],
      [member.userId, { roles: ['owner'] }],
      [admin.userId, { roles: ['owner'] }],
    ] as const) {
      const answer = await change(admin.accessToken, id, body);
      expect([answer.status, answer.body.code]).toEqual([403, 'ROLE_NOT_GRANTABLE']);
    }
  });

  it('keeps the last owner, also when two owners step down at once', async () => {
    const owner = await identity.account();
    const only = await change(owner.accessToken, owner.userId, { roles: ['admin'] });
    expect([only.status, only.body.code]).toEqual([409, 'CONFLICT']);
    const second = await identity.member(owner, ['owner']);
    const answers = await Promise.all([
      change(owner.accessToken, owner.userId, { roles: ['admin'] }),
      change(second.accessToken, second.userId, { roles: ['admin'] }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });
});
