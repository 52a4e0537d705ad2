import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newEmail, PASSWORD, TestIdentity } from './identity.js';

let identity: TestIdentity;
beforeAll(async () => {
  identity = await TestIdentity.start();
});
afterAll(() => identity?.close());

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
    await identity.request('PATCH', `/api/tenant/users/${first.body.id}`, {
      token: owner.accessToken,
      body: { name: 'Grace H.' },
    });
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
    const owner = await identity.account();
    const member = await identity.member(owner);
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
