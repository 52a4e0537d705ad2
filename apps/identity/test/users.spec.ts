import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Account, newEmail, outcome, PASSWORD, TestIdentity, withMail } from './identity.js';
import { tokenIn } from './mail-server.js';

const { identity, mailServer } = withMail();

const add = (token: string, changes: Record<string, unknown> = {}) =>
  identity.post(
    '/api/tenant/users',
    { email: newEmail(), name: 'Grace', password: PASSWORD, roles: ['member'], ...changes },
    token,
  );
const change = (token: string, id: string, body: unknown) =>
  identity.request('PATCH', `/api/tenant/users/${id}`, { token, body });
const list = (token: string, query = '') => identity.request('GET', `/api/tenant/users${query}`, { token });

let owner: Account;
beforeAll(async () => {
  owner = await identity.account();
  await identity.role(owner, 'sales-lead');
});

describe('POST /api/tenant/users', () => {
  it('adds a user who can sign in', async () => {
    const email = newEmail();
    const { status, body } = await add(owner.accessToken, { email });
    expect([status, body]).toMatchObject([201, { email, name: 'Grace', roles: ['member'], status: 'active' }]);
    expect(body).not.toHaveProperty('passwordHash');
    expect((await identity.signedIn(email)).tenantId).toBe(owner.tenantId);
  });

  it.each([
    ['admin', ['owner'], 403, 'ROLE_NOT_GRANTABLE'],
    ['admin', ['admin'], 201, undefined],
    ['admin', ['member', 'sales-lead'], 201, undefined],
    ['owner', ['owner'], 201, undefined],
    ['owner', ['app'], 403, 'ROLE_NOT_GRANTABLE'],
    ['owner', ['operator'], 403, 'ROLE_NOT_GRANTABLE'],
    ['owner', ['system'], 403, 'ROLE_NOT_GRANTABLE'],
    ['member', ['member'], 403, 'FORBIDDEN'],
    ['viewer', ['member'], 403, 'FORBIDDEN'],
    ['sales-lead', ['member'], 403, 'FORBIDDEN'],
  ])('by %s, of a user with the roles %j, is answered with %s', async (granting, roles, status, code) => {
    const caller = granting === 'owner' ? owner : await identity.member(owner, [granting]);
    expect(await outcome(add(caller.accessToken, { roles }))).toEqual([status, code]);
  });

  it('refuses the address of another user of the workspace alone, in any spelling', async () => {
    expect(await outcome(add(owner.accessToken, { email: owner.email.toUpperCase() }))).toEqual([409, 'EMAIL_TAKEN']);
    const { email } = await identity.account();
    expect(await outcome(add(owner.accessToken, { email }))).toEqual([201, undefined]);
    expect(await outcome(add(owner.accessToken, { email }))).toEqual([409, 'EMAIL_TAKEN']);
  });

  it.each([{ roles: [] }, { roles: ['No Name'] }, { roles: 'member' }, { password: 'short' }, { name: '' }])(
    'refuses to add a user with %j',
    async (changes) => {
      expect((await add(owner.accessToken, changes)).status).toBe(422);
    },
  );
});

describe('a stolen access token', () => {
  it('neither adds a user nor gives a role: both need a recent proof', async () => {
    const { owner, member } = await identity.team('member');
    await identity.forgetProofs(owner.tenantId);
    for (const changes of [{ roles: ['owner'] }, { roles: ['owner'], password: undefined }]) {
      expect((await add(owner.accessToken, changes)).body.code).toBe('STEP_UP_REQUIRED');
    }
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

  it.each(['?page=0', '?size=201', '?size=x', '?colour=red'])('refuses the query %s', async (query) => {
    expect(await outcome(list(owner.accessToken, query))).toEqual([400, 'INVALID_QUERY']);
  });

  it('answers a user of another workspace like an unknown one', async () => {
    const theirs = await identity.account();
    for (const id of [theirs.userId, '0190a000-0000-7000-8000-000000000000', 'nonsense']) {
      expect(await outcome(list(owner.accessToken, `/${id}`))).toEqual([404, 'NOT_FOUND']);
      expect((await change(owner.accessToken, id, { name: 'Taken over' })).status).toBe(404);
    }
    expect((await list(theirs.accessToken, `/${theirs.userId}`)).body.name).toBe('Somebody');
  });
});

describe('looking for people of the workspace', () => {
  const find = async (reader: Account, query: string) => {
    const { status, body } = await identity.send('GET', `/api/tenant/users?${query}`, reader);
    return status === 200 ? (body.data as unknown as { name: string }[]).map(({ name }) => name) : status;
  };

  it('goes by the beginning of a word of the name or of the address, by ids and by status', async () => {
    const { owner, member } = await identity.team('member');
    await identity.changeUser(owner, member.userId, { name: 'Grace Brewster Hopper' });
    const invited = { email: newEmail(), name: 'Hope 100% Sure', roles: ['member'] };
    const { id } = (await identity.send('POST', '/api/tenant/users', owner, invited)).body;
    const other = await identity.account();
    for (const [query, expected] of [
      ['q=hop', ['Grace Brewster Hopper', 'Hope 100% Sure']],
      ['q=hop&status=active', ['Grace Brewster Hopper']],
      ['q=opper', []],
      [`q=${invited.email.slice(0, 20)}`, ['Hope 100% Sure']],
      ['q=100%25', ['Hope 100% Sure']],
      ['q=%25', []],
      [`ids=${id}&ids=${other.userId}`, ['Hope 100% Sure']],
      [`ids=${id}&q=grace`, []],
      ['status=gone', 400],
    ] as const) {
      expect([query, await find(member, query)]).toEqual([query, expected]);
    }
  });

  it('goes on in pages, by a cursor of the same search', async () => {
    const { owner, member } = await identity.team('member');
    const { body } = await identity.send('GET', '/api/tenant/users?q=m&size=1&count=exact', member);
    expect([body.total, body.nextCursor]).toEqual([1, null]);
    const { nextCursor } = (await identity.send('GET', '/api/tenant/users?size=1&status=active', owner)).body;
    expect(await find(owner, `size=1&status=active&cursor=${nextCursor}`)).toEqual(['Member']);
    expect(await find(owner, `size=1&cursor=${nextCursor}`)).toBe(400);
  });
});

describe('whether the second factor of a user is on', () => {
  it.each([
    ['owner', 'of everybody'],
    ['admin', 'of everybody'],
    ['member', 'of themselves'],
    ['viewer', 'of themselves'],
  ])('is seen by %s %s', async (role, whose) => {
    const { owner, member: other } = await identity.team('member');
    expect((await identity.setSecondFactor(other.accessToken, true)).status).toBe(204);
    const caller = role === 'owner' ? owner : await identity.member(owner, [role]);
    const { data } = (await list(caller.accessToken)).body;
    for (const [id, isOn] of [
      [caller.userId, false],
      [other.userId, true],
    ] as const) {
      const expected = whose === 'of everybody' || id === caller.userId ? isOn : undefined;
      const single = (await list(caller.accessToken, `/${id}`)).body;
      for (const shown of [single, data.find((user) => user.id === id)]) {
        expect({ mfaEnabled: undefined, ...shown }).toMatchObject({ id, mfaEnabled: expected });
      }
    }
    expect((await identity.me(caller.accessToken)).body).toMatchObject({ mfaEnabled: false });
  });
});

describe('PATCH /api/tenant/users/{id}', () => {
  it('ends the sessions of a user who is disabled and answers their sign-in like a wrong password', async () => {
    const { owner, member } = await identity.team('member');
    const { status, body } = await change(owner.accessToken, member.userId, { status: 'disabled' });
    expect([status, body.status]).toEqual([200, 'disabled']);
    expect((await identity.login(member.email)).body.code).toBe('INVALID_CREDENTIALS');
    expect((await identity.refresh(member.refreshToken)).status).toBe(401);
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
      expect(await outcome(change(admin.accessToken, id, body))).toEqual([403, 'ROLE_NOT_GRANTABLE']);
    }
  });

  it('keeps the last owner, also when two owners step down at once', async () => {
    const owner = await identity.account();
    expect(await outcome(change(owner.accessToken, owner.userId, { roles: ['admin'] }))).toEqual([409, 'CONFLICT']);
    const second = await identity.member(owner, ['owner']);
    const stepDown = ({ accessToken, userId }: Account) => change(accessToken, userId, { roles: ['admin'] });
    const answers = await Promise.all([owner, second].map(stepDown));
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
    mailServer.recipients.set(body.email, '451 later');
    const answers = await Promise.all(Array.from({ length: 4 }, () => add(owner.accessToken, body)));
    const ids = answers.filter(({ status }) => status === 201).map((answer) => answer.body.id);
    expect(new Set(ids).size).toBe(1);
    for (const refused of answers.filter(({ status }) => status !== 201)) {
      expect(await outcome(refused)).toEqual([409, 'IDEMPOTENCY_KEY_IN_USE']);
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
      expect(await outcome(add(owner.accessToken, other))).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
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
    expect(await outcome(keyed(path, body, 'k'))).toEqual([400, 'MALFORMED_REQUEST']);
  });
});

describe('lists', () => {
  it('continue by cursor, and refuse the cursor of another list or workspace', async () => {
    const { owner } = await identity.team('member');
    await identity.signedIn(owner.email);
    const get = (path: string, token = owner.accessToken) => identity.request('GET', path, { token });
    for (const path of ['/api/tenant/users', '/api/auth/sessions']) {
      const list = async (query: string) => (await get(`${path}?${query}`)).body;
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
    const { nextCursor } = (await get('/api/tenant/users?size=1')).body;
    const stranger = await identity.account();
    for (const refused of [
      get(`/api/auth/sessions?cursor=${nextCursor}`),
      get(`/api/tenant/users?cursor=${nextCursor}`, stranger.accessToken),
    ]) {
      expect(await outcome(refused)).toEqual([400, 'INVALID_QUERY']);
    }
  });
});

const invite = async (changes: Record<string, unknown> = {}) => {
  const owner = await identity.account({ name: 'Line\r\nBreakers' });
  const email = newEmail();
  const answer = await add(owner.accessToken, { email, password: undefined, ...changes });
  return { owner, email, answer };
};
/** What the mail to an address carries. */
const tokenTo = async (email: string) => tokenIn((await mailServer.mailTo(email)).text);
const accept = (token: string, password = PASSWORD) =>
  identity.post('/api/auth/invitations/accept', { token, password });

/** Has the invitation sent again; what its mail carries. */
const again = async (adminToken: string, userId: string, email: string) => {
  const path = `/api/tenant/users/${userId}/invitation`;
  const { answer, text } = await mailServer.sentBy(email, () => identity.post(path, undefined, adminToken));
  expect(answer.status).toBe(204);
  return tokenIn(text);
};

describe('an invitation', () => {
  it('is sent by mail, sets a password once and lets the user sign in', async () => {
    const { email, answer, owner } = await invite();
    expect([answer.status, answer.body.status]).toEqual([201, 'invited']);
    expect((await identity.login(email)).status).toBe(401);
    const mail = await mailServer.mailTo(email);
    expect(mail.text).toMatch(/^Subject: Invitation to Line Breakers\r?$/m);
    const token = tokenIn(mail.text);
    expect((await accept(token)).status).toBe(204);
    expect((await identity.signedIn(email)).tenantId).toBe(owner.tenantId);
    expect(await outcome(accept(token, 'another-good-password'))).toEqual([410, 'INVALID_INVITATION']);
    expect((await identity.login(email)).status).toBe(200);
  });

  it('carries no text of the sender but a plain name of the workspace', async () => {
    const workspace = `Win https://evil.example/prize${'\u202E'}\r\n\r\nClick evil.example now, ${'it is free '.repeat(10)}`;
    const { accessToken } = await identity.account({ name: workspace });
    const email = newEmail();
    await add(accessToken, { email, name: 'friend, open www.evil.example', password: undefined });
    const { text } = await mailServer.mailTo(email);
    const content = decodeURIComponent(text.replace(/=\r?\n/g, '').replace(/=([0-9A-F]{2})/g, '%$1'));
    expect(content).toContain('Win https evil example prize Click evil example now, it is f');
    for (const sent of ['evil.example', 'https://evil', 'it is free it is free', 'friend', '\u202E']) {
      expect(content).not.toContain(sent);
    }
  });

  it('refuses a wrong token and a password that is too short', async () => {
    const { email } = await invite();
    const token = await tokenTo(email);
    const [ids] = token.split('.');
    for (const wrong of ['nonsense', `${ids}.wrong`, `${ids}`, `.${token.split('.')[1]}`]) {
      expect((await accept(wrong)).body.code).toBe('INVALID_INVITATION');
    }
    expect((await accept(token, 'short')).status).toBe(422);
    expect((await accept(token)).status).toBe(204);
  });

  it('is refused after it has expired', async () => {
    const { email, owner } = await invite();
    const token = await tokenTo(email);
    await identity.expire('invitation', owner.tenantId);
    expect((await accept(token)).body.code).toBe('INVALID_INVITATION');
  });

  it('can be sent again, also after it has expired; earlier links stop working', async () => {
    const { email, owner, answer } = await invite();
    const first = await tokenTo(email);
    await identity.expire('invitation', owner.tenantId);
    const second = await again(owner.accessToken, answer.body.id, email);
    const third = await again(owner.accessToken, answer.body.id, email);
    for (const token of [first, second]) expect((await accept(token)).body.code).toBe('INVALID_INVITATION');
    expect((await accept(third)).status).toBe(204);
    expect((await identity.login(email)).status).toBe(200);
  });

  it('is sent again only by administrators who can grant its roles, only to invited users, and at most five times', async () => {
    const { owner, answer } = await invite({ roles: ['owner'] });
    const path = `/api/tenant/users/${answer.body.id}/invitation`;
    const post = (token: string, to = path) => outcome(identity.post(to, undefined, token));
    const [member, admin] = [await identity.member(owner), await identity.member(owner, ['admin'])];
    expect(await post(member.accessToken)).toEqual([403, 'FORBIDDEN']);
    expect(await post(admin.accessToken)).toEqual([403, 'ROLE_NOT_GRANTABLE']);
    expect(await post((await identity.account()).accessToken)).toEqual([404, 'NOT_FOUND']);
    expect(await post(owner.accessToken, `/api/tenant/users/${member.userId}/invitation`)).toEqual([409, 'CONFLICT']);
    for (let sent = 0; sent < 5; sent += 1) expect(await post(owner.accessToken)).toEqual([204, undefined]);
    expect(await post(owner.accessToken)).toEqual([429, 'RATE_LIMITED']);
  });

  it('is refused while the user is disabled, and valid again afterwards', async () => {
    const { email, owner, answer } = await invite();
    const token = await tokenTo(email);
    const become = async (status: string) => (await identity.changeUser(owner, answer.body.id, { status })).body.status;
    expect(await become('disabled')).toBe('disabled');
    expect((await accept(token)).body.code).toBe('INVALID_INVITATION');
    expect(await become('active')).toBe('invited');
    expect((await accept(token)).status).toBe(204);
    expect(await become('disabled')).toBe('disabled');
    expect(await become('active')).toBe('active');
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
  it('opens a developer workspace whose owner is the caller, and tells it by an event', async () => {
    const email = newEmail();
    const { status, body } = await register({ email });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      user: { email, name: 'Ada', roles: ['owner'] },
      tenant: { name: 'Analytical Engines', plan: 'developer', timeZone: 'UTC', country: null },
    });
    expect(JSON.stringify(body)).not.toContain(PASSWORD);
    const events = 'SELECT envelope FROM outbox WHERE tenant_id = $1';
    const envelope = { type: 'user.created', subject: body.user.id };
    expect(await identity.queryAll(events, [body.tenant.id])).toMatchObject([{ envelope }]);
  });

  it('stores plan, time zone and country', async () => {
    const workspace = { name: 'W', plan: 'business', timeZone: 'Europe/Berlin', country: 'DE' };
    expect(await register({ workspace })).toMatchObject({ status: 201, body: { tenant: workspace } });
  });

  it('opens as many as are asked for of an address at once, in any spelling, one of which proves it', async () => {
    const email = newEmail();
    const answers = await Promise.all([email, email.toUpperCase(), email].map((each) => register({ email: each })));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    const held = 'SELECT count(DISTINCT m.user_id)::int AS members, count(DISTINCT l.user_id)::int AS locals';
    const of =
      'FROM sign_in_email s JOIN membership m USING (person_id) LEFT JOIN local_account l ON l.email = s.email';
    expect(await identity.queryAll(`${held} ${of} WHERE s.email = $1`, [email])).toEqual([{ members: 1, locals: 2 }]);
  });

  it.each([
    ['a short password', { password: 'elevenchars' }, '/password'],
    ['a password that is too long', { password: 'x'.repeat(257) }, '/password'],
    ['text that is not an e-mail address', { email: 'nobody' }, '/email'],
    ['no workspace name', { workspace: { name: ' ' } }, '/workspace/name'],
    ['an unknown plan', { workspace: { name: 'W', plan: 'gold' } }, '/workspace/plan'],
    ['an unknown time zone', { workspace: { name: 'W', timeZone: 'Mars/Base' } }, '/workspace/timeZone'],
    ['a country that is not a code', { workspace: { name: 'W', country: 'Germany' } }, '/workspace/country'],
    ['a country that there is not', { workspace: { name: 'W', country: 'XX' } }, '/workspace/country'],
    ['an unknown member', { admin: true }, '/admin'],
  ])('refuses a registration with %s', async (_what, changes, pointer) => {
    const refused = await register(changes);
    expect(await outcome(refused)).toEqual([422, 'VALIDATION_FAILED']);
    expect(refused.body.errors.map((error) => error.pointer)).toContain(pointer);
    expect(refused.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  });

  it('does not throttle registrations from loopback outside production', async () => {
    const answers = await Promise.all(Array.from({ length: 25 }, () => register()));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
  });

  it('throttles registrations from anywhere else', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.7' };
    const registerFar = () => identity.request('POST', '/api/auth/register', { body: registration(), headers });
    for (let count = 0; count < 20; count += 1) expect((await registerFar()).status).toBe(201);
    const refused = await registerFar();
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

describe('in the production profile', () => {
  it('refuses to register a workspace with a plan other than developer', async () => {
    const production = await TestIdentity.start({ profile: 'production' });
    try {
      const refused = register({ workspace: { name: 'W', plan: 'enterprise' } }, production);
      expect(await outcome(refused)).toEqual([403, 'PLAN_NOT_ALLOWED']);
      expect((await register({ workspace: { name: 'W', plan: 'developer' } }, production)).status).toBe(201);
    } finally {
      await production.close();
    }
  });
});
