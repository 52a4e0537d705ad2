import { Database, inWorkspace } from '@crm/database';
import { describe, expect, it } from '@jest/globals';
import { PasswordService } from '../src/passwords/password.service.js';
import { PersonService } from '../src/people/person.service.js';
import { entryOf } from './audit.js';
import { type Account, NEW_PASSWORD, newEmail, outcome, PASSWORD, TestIdentity } from './identity.js';

const production = TestIdentity.ofFile({ profile: 'production' });
const development = TestIdentity.ofFile({ profile: 'development' });

const POLICY = '/api/tenant/sign-in-policy/local-passwords';
const setPolicy = (identity: TestIdentity, by: Account, localPasswords: string) =>
  identity.send('PUT', POLICY, by, { localPasswords });

/** Adds a user with a password. */
const add = (identity: TestIdentity, by: Account, email = newEmail(), password: string | undefined = PASSWORD) =>
  identity.send('POST', '/api/tenant/users', by, { email, name: 'Member', roles: ['member'], password });

/** An owner whose workspace counts as verified. */
async function verified(identity: TestIdentity): Promise<Account> {
  const owner = await identity.account();
  await identity.query(owner.tenantId, 'UPDATE tenant SET verified_at = now()');
  return owner;
}

describe('whether administrators may choose passwords', () => {
  it.each([
    [development, 'allowed', 201, undefined],
    [production, 'refused', 403, 'LOCAL_PASSWORDS_REFUSED'],
  ] as const)('is a matter of the profile until an owner decides (%#)', async (identity, policy, status, code) => {
    const owner = await verified(identity);
    expect((await identity.send('GET', POLICY, owner)).body).toEqual({ localPasswords: policy });
    expect(await outcome(add(identity, owner))).toEqual([status, code]);
  });

  it.each([development, production])('is decided by an owner with a recent proof (%#)', async (identity) => {
    const owner = await verified(identity);
    for (const [policy, status] of [
      ['allowed', 201],
      ['refused', 403],
    ] as const) {
      expect((await setPolicy(identity, owner, policy)).status).toBe(200);
      expect((await identity.send('GET', POLICY, owner)).body).toEqual({ localPasswords: policy });
      expect((await add(identity, owner)).status).toBe(status);
    }
    const entry = await entryOf(identity, owner, 'workspace.sign_in_policy_changed');
    expect(entry.detail).toEqual({ localPasswords: 'refused' });
    // What else the workspace demands stays.
    const demands = (await identity.send('PUT', '/api/tenant/sign-in-policy', owner, { secondFactor: 'required' }))
      .status;
    expect([demands, (await identity.send('GET', POLICY, owner)).body]).toEqual([200, { localPasswords: 'refused' }]);
    expect((await setPolicy(identity, owner, 'sometimes')).status).toBe(422);
    await identity.forgetProofs(owner.tenantId);
    expect((await setPolicy(identity, owner, 'allowed')).body.code).toBe('STEP_UP_REQUIRED');
  });

  it('is not decided by administrators', async () => {
    const { admin } = await development.team('admin');
    expect((await setPolicy(development, admin, 'refused')).body.code).toBe('FORBIDDEN');
  });
});

describe('a password that an administrator chose', () => {
  it('lasts in development', async () => {
    const owner = await verified(development);
    const email = newEmail();
    await add(development, owner, email);
    expect((await development.signedIn(email)).email).toBe(email);
    const brings = { email, password: PASSWORD, newPassword: NEW_PASSWORD };
    const refused = await development.post('/api/auth/login', brings);
    expect(refused).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/newPassword', code: 'NOT_INITIAL' }] },
    });
  });

  it('in production is good for a sign-in that replaces it, and for nothing else', async () => {
    const owner = await verified(production);
    await setPolicy(production, owner, 'allowed');
    const email = newEmail();
    const { id } = (await add(production, owner, email)).body;
    const login = (password: string, newPassword?: string) =>
      production.post('/api/auth/login', { email, password, ...(newPassword && { newPassword }) });

    const asked = await login(PASSWORD);
    expect([asked.status, asked.body]).toEqual([200, { passwordChangeRequired: true, expiresIn: 0 }]);
    expect(asked.headers.get('x-device-token')).toBeNull();
    expect(await outcome(login('not-the-password', NEW_PASSWORD))).toEqual([401, 'INVALID_CREDENTIALS']);
    expect(await outcome(login(PASSWORD, PASSWORD))).toEqual([422, 'WEAK_PASSWORD']);
    expect(await outcome(login(PASSWORD, 'iloveyou2024'))).toEqual([422, 'WEAK_PASSWORD']);
    const replaced = await login(PASSWORD, NEW_PASSWORD);
    expect(replaced).toMatchObject({ status: 200, body: { accessToken: expect.any(String) } });

    expect((await login(PASSWORD)).status).toBe(401);
    expect((await login(PASSWORD, NEW_PASSWORD)).status).toBe(401);
    expect((await login(NEW_PASSWORD)).body.accessToken).toEqual(expect.any(String));
    const entry = await entryOf(production, owner, 'password.changed');
    expect(entry).toMatchObject({ subject: { id }, detail: { initial: true } });
  });

  it('is replaced by one of two who do so at the same moment', async () => {
    const owner = await verified(production);
    await setPolicy(production, owner, 'allowed');
    const email = newEmail();
    await add(production, owner, email);
    const replace = (newPassword: string) =>
      production.post('/api/auth/login', { email, password: PASSWORD, newPassword });
    const answers = await Promise.all([replace(NEW_PASSWORD), replace('quiet-orbits-lantern-tide')]);
    const [won, lost] = answers.map(({ status }) => status).sort();
    expect(won).toBe(200);
    // It is refused for a password that is wrong by then, or for one that is no longer another's choice.
    expect([401, 422]).toContain(lost);
  });

  it('gives way to the one that the person sets for all their workspaces', async () => {
    const owner = await verified(production);
    await setPolicy(production, owner, 'allowed');
    const email = newEmail();
    const { id } = (await add(production, owner, email)).body;
    const user = { tenantId: owner.tenantId, userId: id };
    const passwordHash = await production.get(PasswordService).hash(NEW_PASSWORD);
    await inWorkspace(production.get(Database), owner.tenantId, async (tx) => {
      const people = production.get(PersonService);
      await people.setPassword(tx, await people.prove(tx, email, user), passwordHash);
    });
    expect((await production.signedIn(email, NEW_PASSWORD)).userId).toBe(id);
  });
});
