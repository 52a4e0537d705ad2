import { describe, expect, it } from '@jest/globals';
import { newEmail, PASSWORD, TestIdentity } from './identity.js';

const identity = TestIdentity.ofFile();

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
    const { owner, member } = await identity.team('member');
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
    const { owner, member } = await identity.team('member');
    const { status, body } = await change(owner.accessToken, member.userId, { status: 'disabled' });
    expect([status, body.status]).toEqual([200, 'disabled']);
    expect((await identity.login(member.email)).body.code).toBe('INVALID_CREDENTIALS');
    expect((await identity.post('/api/auth/refresh', { refreshToken: member.refreshToken })).status).toBe(401);
    await identity.refuses(member.accessToken);
    expect((await change(owner.accessToken, member.userId, { status: 'active' })).status).toBe(200);
    expect((await identity.login(member.email)).status).toBe(200);
  });

  it('refuses an administrator who changes an owner or makes one', async () => {
    const { owner, admin, member } = await identity.team('admin', 'member');
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

const keyed = (path: string, body: unknown, key: string, token?: string) =>
  identity.request('POST', path, { body, token, headers: { 'idempotency-key': key } });

describe('a user added with an Idempotency-Key', () => {
  const person = () => ({ email: newEmail(), name: 'Grace', password: PASSWORD, roles: ['member'] });
  const add = (token: string, body: object, key = 'k') => keyed('/api/tenant/users', body, key, token);

  it('is added once; a repeated call returns the user as they are now', async () => {
    const owner = await identity.account();
    const body = person();
    const first = await add(owner.accessToken, body);
    expect(first.status).toBe(201);
    await identity.changeUser(owner, first.body.id, { name: 'Grace H.' });
    const again = await add(owner.accessToken, body);
    expect(again).toMatchObject({ status: 201, body: { id: first.body.id, name: 'Grace H.' } });
    expect((await add(owner.accessToken, body, 'another')).body.code).toBe('EMAIL_TAKEN');
  });

  it('is invited once by simultaneous calls', async () => {
    const owner = await identity.account();
    const { password: _password, ...body } = person();
    const answers = await Promise.all(Array.from({ length: 4 }, () => add(owner.accessToken, body)));
    const ids = answers.filter(({ status }) => status === 201).map((answer) => answer.body.id);
    expect(new Set(ids).size).toBe(1);
    for (const { status, body: problem } of answers.filter((answer) => answer.status !== 201)) {
      expect([status, problem.code]).toEqual([409, 'IDEMPOTENCY_KEY_IN_USE']);
    }
    const mails = await identity.queryAll('SELECT 1 FROM mail WHERE recipient = $1', [body.email]);
    expect(mails).toHaveLength(1);
  });

  it('refuses the same key with another body, also if only the password differs', async () => {
    const owner = await identity.account();
    const body = person();
    await add(owner.accessToken, body);
    const { password: _password, ...invited } = body;
    for (const other of [{ ...body, name: 'Ada' }, { ...body, password: `${PASSWORD}!` }, invited]) {
      const answer = await add(owner.accessToken, other);
      expect([answer.status, answer.body.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    }
  });
});

describe('a call whose answer carries a secret', () => {
  it.each([
    ['/api/auth/login', { email: 'a@b.test', password: 'x' }],
    ['/api/auth/refresh', { refreshToken: 'x' }],
    ['/api/auth/mfa/verify', { challengeId: 'x', code: '123456' }],
    ['/api/auth/register', {}],
  ])('refuses an Idempotency-Key on POST %s', async (path, body) => {
    const { status, body: problem } = await keyed(path, body, 'k');
    expect([status, problem.code]).toEqual([400, 'MALFORMED_REQUEST']);
  });
});

describe('lists', () => {
  it('continue by cursor, and refuse the cursor of another list or workspace', async () => {
    const { owner, member } = await identity.team('member');
    await identity.signedIn(owner.email);
    await identity.signedIn(owner.email);
    for (const path of ['/api/tenant/users', '/api/auth/sessions']) {
      const list = async (query: string) =>
        (await identity.request('GET', `${path}?${query}`, { token: owner.accessToken })).body;
      const all = await list('');
      const seen: unknown[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const page: typeof all = await list(`size=1${cursor && `&cursor=${cursor}`}`);
        // Later pages are not counted again.
        expect(page.total).toBe(cursor === '' ? all.total : null);
        seen.push(...page.data);
        cursor = page.nextCursor;
      }
      expect(seen).toEqual(all.data);
      expect(seen.length).toBeGreaterThan(1);
    }
    const { nextCursor } = (await identity.request('GET', '/api/tenant/users?size=1', { token: owner.accessToken }))
      .body;
    for (const [path, token] of [
      ['/api/auth/sessions', owner.accessToken],
      ['/api/tenant/users', (await identity.account()).accessToken],
    ] as const) {
      const answer = await identity.request('GET', `${path}?cursor=${nextCursor}`, { token });
      expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_QUERY']);
    }
    expect(member.tenantId).toBe(owner.tenantId);
  });
});

const registration = (changes: Record<string, unknown> = {}) => ({
  email: newEmail(),
  password: PASSWORD,
  name: 'Ada',
  workspace: { name: 'Analytical Engines' },
  ...changes,
});
const register = (changes: Record<string, unknown> = {}, at = identity) =>
  at.post('/api/auth/register', registration(changes));

describe('POST /api/auth/register', () => {
  it('opens a developer workspace whose owner is the caller', async () => {
    const input = registration();
    const { status, body } = await identity.post('/api/auth/register', input);
    expect(status).toBe(201);
    expect(body).toMatchObject({
      user: { email: input.email, name: 'Ada', roles: ['owner'] },
      tenant: { name: 'Analytical Engines', plan: 'developer', timeZone: 'UTC', country: null },
    });
    expect(JSON.stringify(body)).not.toContain(PASSWORD);
  });

  it('stores plan, time zone and country', async () => {
    const workspace = { name: 'W', plan: 'business', timeZone: 'Europe/Berlin', country: 'DE' };
    const { status, body } = await register({ workspace });
    expect([status, body]).toMatchObject([201, { tenant: workspace }]);
  });

  it('appends user.created in the same transaction', async () => {
    const { body } = await register();
    const rows = await identity.queryAll<{ envelope: { type: string; subject: string } }>(
      'SELECT envelope FROM outbox WHERE tenant_id = $1',
      [body.tenant.id],
    );
    expect(rows.map(({ envelope }) => [envelope.type, envelope.subject])).toEqual([['user.created', body.user.id]]);
  });

  it('refuses an address that has an account, in any spelling', async () => {
    const email = newEmail();
    expect((await register({ email })).status).toBe(201);
    const { status, body } = await register({ email: ` ${email.toUpperCase()}`.trim() });
    expect([status, body.code]).toEqual([409, 'EMAIL_TAKEN']);
  });

  it('accepts one of several simultaneous registrations of an address', async () => {
    const email = newEmail();
    const name = `Raced ${email}`;
    const answers = await Promise.all([1, 2, 3].map(() => register({ email, workspace: { name } })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  });

  it.each([
    ['a short password', { password: 'elevenchars' }, '/password'],
    ['a password that is too long', { password: 'x'.repeat(257) }, '/password'],
    ['text that is not an e-mail address', { email: 'nobody' }, '/email'],
    ['no workspace name', { workspace: { name: ' ' } }, '/workspace/name'],
    ['an unknown plan', { workspace: { name: 'W', plan: 'gold' } }, '/workspace/plan'],
    ['an unknown time zone', { workspace: { name: 'W', timeZone: 'Mars/Base' } }, '/workspace/timeZone'],
    ['a country that is not a code', { workspace: { name: 'W', country: 'Germany' } }, '/workspace/country'],
    ['an unknown member', { admin: true }, '/admin'],
  ])('refuses a registration with %s', async (_what, changes, pointer) => {
    const { status, body, headers } = await register(changes);
    expect([status, body.code]).toEqual([422, 'VALIDATION_FAILED']);
    expect(body.errors.map((error) => error.pointer)).toContain(pointer);
    expect(headers.get('content-type')).toMatch(/^application\/problem\+json/);
  });

  it('does not throttle registrations from loopback outside production', async () => {
    const answers = await Promise.all(Array.from({ length: 25 }, () => register()));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
  });

  it('throttles registrations from anywhere else', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.7' };
    const statuses: number[] = [];
    for (let count = 0; count < 21; count += 1) {
      const answer = await identity.request('POST', '/api/auth/register', { body: registration(), headers });
      statuses.push(answer.status);
      if (answer.status === 429) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect(statuses.filter((status) => status === 201)).toHaveLength(20);
    expect(statuses.at(-1)).toBe(429);
  });
});

describe('in the production profile', () => {
  it('refuses to register a workspace with a plan other than developer', async () => {
    const production = await TestIdentity.start({ profile: 'production' });
    try {
      const refused = await register({ workspace: { name: 'W', plan: 'enterprise' } }, production);
      expect([refused.status, refused.body.code]).toEqual([403, 'PLAN_NOT_ALLOWED']);
      expect((await register({ workspace: { name: 'W', plan: 'developer' } }, production)).status).toBe(201);
    } finally {
      await production.close();
    }
  });
});
