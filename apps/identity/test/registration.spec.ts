import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newEmail, PASSWORD, TestIdentity } from './identity.js';

let identity: TestIdentity;
beforeAll(async () => {
  identity = await TestIdentity.start();
});
afterAll(() => identity?.close());

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
