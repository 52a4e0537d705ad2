import { TokenVerifier } from '@crm/access';
import { AUDIENCES, type OperatorAuditEntry } from '@crm/contracts';
import { Database, newId } from '@crm/database';
import { waitUntil } from '@crm/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { FAILURES_FROM_ANYWHERE, FAILURES_PER_ACCOUNT } from '../src/guesses/sign-in-limit.js';
import { resetOperator } from '../src/operator.js';
import { PLATFORM_TENANT } from '../src/platform-tenant.js';
import { codeOf } from './checks.js';
import { outcome, PASSWORD, TestIdentity } from './identity.js';
import { type OperatorTokens, ORIGIN, TestOperators } from './operators.js';

const identity = TestIdentity.ofFile();
const operators = new TestOperators(identity);

const refresh = (refreshToken: string) => operators.call('refresh', { refreshToken, ...ORIGIN });
const refusedRefresh = (refreshToken: string) => operators.refusal('refresh', { refreshToken, ...ORIGIN });
const verify = (token: string) => identity.get(TokenVerifier).verify(token, [AUDIENCES.admin]);
const cutOff = (token: string) =>
  waitUntil(async () => (await codeOf(verify(token))) === 'TOKEN_REVOKED', {
    timeoutMs: 1000,
    describe: 'the access token is revoked',
  });
const idOf = async (token: string) => (await verify(token)).userId;

describe('an operator whose password is guessed at from many addresses', () => {
  it('is slowed, but for a known device, whose token is good for no other operator', async () => {
    const [email, other] = [await operators.create(), await operators.create()];
    const { deviceToken } = await operators.login(email);
    const { deviceToken: ofAnother } = await operators.login(other);
    const login = (changes: object) => operators.refusal('login', { email, password: PASSWORD, ...ORIGIN, ...changes });
    for (let index = 0; index <= FAILURES_FROM_ANYWHERE; index += 1) {
      const code = await login({ password: 'not-the-password', address: `203.0.113.${index}` });
      expect(code).toBe(index < FAILURES_FROM_ANYWHERE ? 'INVALID_CREDENTIALS' : 'RATE_LIMITED');
    }
    expect(await login({})).toBe('RATE_LIMITED');
    expect(await login({ deviceToken: ofAnother })).toBe('RATE_LIMITED');
    expect(await login({ deviceToken, password: 'not-the-password' })).toBe('INVALID_CREDENTIALS');
    expect(await login({ deviceToken })).toBe('no error');
  });
});

describe('a session of an operator', () => {
  it('ends when a thief has refreshed twice and the operator presents the token that both had', async () => {
    const { refreshToken } = await operators.newlySignedIn();
    const { refreshToken: second } = await refresh(refreshToken);
    const stolen = await refresh(second);
    for (const token of [refreshToken, stolen.refreshToken]) {
      expect(await refusedRefresh(token)).toBe('INVALID_REFRESH_TOKEN');
    }
    await cutOff(stolen.accessToken);
  });

  it('ends by signing out, here or by its id: the access token is refused within a second', async () => {
    for (const end of ['logout', 'endSession'] as const) {
      const { accessToken, refreshToken } = await operators.newlySignedIn();
      const { sessionId: id } = await verify(accessToken);
      await operators.call(end, end === 'endSession' ? { id } : {}, accessToken);
      await cutOff(accessToken);
      expect(await refusedRefresh(refreshToken)).toBe('INVALID_REFRESH_TOKEN');
    }
  });

  it('is listed with its device and ended with all others of the operator', async () => {
    const first = await operators.newlySignedIn();
    const second = await operators.signedIn(first.email);
    const { data } = await operators.call('listSessions', {}, second.accessToken);
    expect(data.map(({ current, device, address }) => [current, device, address])).toEqual([
      [true, 'Firefox on Linux', ORIGIN.address],
      [false, 'Firefox on Linux', ORIGIN.address],
    ]);
    await operators.call('endSessions', {}, second.accessToken);
    for (const { accessToken } of [first, second]) await cutOff(accessToken);
  });

  it('is refreshed at the address of operators only, and a session of a user at that of users only', async () => {
    const user = await identity.account();
    expect(await refusedRefresh(user.refreshToken)).toBe('INVALID_REFRESH_TOKEN');
    expect((await identity.post('/api/auth/refresh', { refreshToken: user.refreshToken })).status).toBe(200);
    const { refreshToken } = await operators.newlySignedIn();
    expect((await identity.post('/api/auth/refresh', { refreshToken })).status).toBe(401);
    expect((await refresh(refreshToken)).accessToken).toBeTruthy();
  });
});

describe('the management of operators', () => {
  /** Has an administrator change an operator. */
  const changed = async ({ accessToken }: OperatorTokens, changes: object) => {
    const administrator = await operators.newlySignedIn();
    return operators.call('changeOperator', { id: await idOf(accessToken), ...changes }, administrator.accessToken);
  };

  it('is refused to reviewers, to users of workspaces and without a token, as is all that administrators do', async () => {
    const id = newId();
    const reason = 'It sends spam';
    const [reviewer, owner] = [await operators.newlySignedIn('reviewer'), await identity.account()];
    for (const [name, request] of [
      ['listOperators', {}],
      ['changeOperator', { id, role: 'administrator' }],
      ['endSessionsOf', { id }],
      ['resetAuthenticator', { id }],
      ['setPlan', { id: owner.tenantId, plan: 'enterprise' }],
      ['suspend', { id: owner.tenantId, reason }],
      ['reinstate', { id: owner.tenantId, reason }],
      ['listSuspended', {}],
      ['listEmbedConflicts', {}],
      ['listAudit', { size: 1 }],
    ] as const) {
      const tokens = [reviewer.accessToken, owner.accessToken, undefined];
      const codes = await Promise.all(tokens.map((token) => operators.refusal(name, request, token)));
      expect([name, codes]).toEqual([name, ['FORBIDDEN', 'UNAUTHENTICATED', 'UNAUTHENTICATED']]);
    }
  });

  it('changes the role of an operator within a second', async () => {
    const target = await operators.newlySignedIn('reviewer');
    const view = await changed(target, { role: 'administrator' });
    expect(view).toMatchObject({ role: 'administrator', authenticator: false });
    await cutOff(target.accessToken);
    const { accessToken } = await refresh(target.refreshToken);
    expect((await verify(accessToken)).roles).toEqual(['administrator']);
  });

  it('disables an operator within a second', async () => {
    const target = await operators.newlySignedIn('reviewer');
    await changed(target, { status: 'disabled' });
    await cutOff(target.accessToken);
    expect(await refusedRefresh(target.refreshToken)).toBe('INVALID_REFRESH_TOKEN');
    const credentials = { email: target.email, password: PASSWORD, ...ORIGIN };
    expect(await operators.refusal('login', credentials)).toBe('INVALID_CREDENTIALS');
  });

  it('links an operator to a workspace: the next token says so', async () => {
    const target = await operators.newlySignedIn('reviewer');
    const linkedTenantId = newId();
    expect(await changed(target, { linkedTenantId })).toMatchObject({ linkedTenantId });
    await cutOff(target.accessToken);
    expect((await verify((await refresh(target.refreshToken)).accessToken)).linkedTenantId).toBe(linkedTenantId);
    const created = await operators.newlySignedIn('reviewer', linkedTenantId);
    expect((await verify(created.accessToken)).linkedTenantId).toBe(linkedTenantId);
  });

  it('needs a recent proof', async () => {
    const { accessToken } = await operators.newlySignedIn();
    const id = await idOf((await operators.newlySignedIn('reviewer')).accessToken);
    await identity.forgetProofs(PLATFORM_TENANT);
    const request = { id, role: 'administrator' as const };
    expect(await operators.refusal('changeOperator', request, accessToken)).toBe('STEP_UP_REQUIRED');
    expect(await operators.refusal('endSessionsOf', { id }, accessToken)).toBe('STEP_UP_REQUIRED');
    const stepUp = operators.refusal('stepUp', { password: 'not-the-password' }, accessToken);
    expect(await stepUp).toBe('INVALID_CREDENTIALS');
    await operators.call('stepUp', { password: PASSWORD }, accessToken);
    expect(await operators.call('changeOperator', request, accessToken)).toMatchObject({ role: 'administrator' });
  });

  it('keeps one active administrator, also when two step down at once', async () => {
    await identity.query(PLATFORM_TENANT, "UPDATE operator SET role = 'reviewer'");
    const two = [await operators.newlySignedIn(), await operators.newlySignedIn()];
    const stepDown = async ({ accessToken }: OperatorTokens) =>
      operators.refusal('changeOperator', { id: await idOf(accessToken), role: 'reviewer' }, accessToken);
    const outcomes = await Promise.all(two.map(stepDown));
    expect(outcomes.sort()).toEqual(['CONFLICT', 'no error']);
  });
});

describe('the initial password of an operator', () => {
  const login = (email: string, changes: object) =>
    operators.call('login', { email, password: PASSWORD, ...ORIGIN, ...changes });
  const refused = (email: string, changes: object = {}) => codeOf(login(email, changes));
  const newPassword = 'tidal-lantern-orbits-quietly';

  it('signs in only together with one of their own, and never again', async () => {
    const email = await operators.createWithInitialPassword();
    await expect(login(email, {})).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      extra: { members: { errors: [{ pointer: '/newPassword', code: 'REQUIRED' }] } },
    });
    const weak = { iloveyou2024: 'WEAK_PASSWORD', [PASSWORD]: 'WEAK_PASSWORD', short: 'VALIDATION_FAILED' };
    for (const [own, code] of Object.entries(weak))
      expect([own, await refused(email, { newPassword: own })]).toEqual([own, code]);
    expect(await refused(email, { newPassword, password: 'not-the-password' })).toBe('INVALID_CREDENTIALS');
    const { accessToken, deviceToken } = await login(email, { newPassword });
    expect([(await verify(accessToken)).roles, deviceToken]).toEqual([['reviewer'], expect.any(String)]);
    expect(await refused(email)).toBe('INVALID_CREDENTIALS');
    expect(await refused(email, { password: newPassword })).toBe('no error');
    expect(await refused(email, { password: newPassword, newPassword: `${newPassword}-2` })).toBe('VALIDATION_FAILED');
  });

  it('is replaced by one of many who present it at once', async () => {
    const email = await operators.createWithInitialPassword();
    const own = (index: number) => ({ newPassword: `${newPassword}-${index}` });
    const outcomes = await Promise.all([1, 2, 3].map((index) => refused(email, own(index))));
    expect(outcomes.sort()).toEqual(['INVALID_CREDENTIALS', 'INVALID_CREDENTIALS', 'no error']);
  });

  it('is valid for three days, and the command gives another one', async () => {
    const email = await operators.createWithInitialPassword();
    const [initial] = await identity.query<{ days: number }>(
      PLATFORM_TENANT,
      'SELECT round(extract(epoch FROM initial_password_until - now()) / 86400)::int AS days FROM operator WHERE email = $1',
      [email],
    );
    expect(initial?.days).toBe(3);
    await identity.query(PLATFORM_TENANT, 'UPDATE operator SET initial_password_until = now() WHERE email = $1', [
      email,
    ]);
    expect(await refused(email, { newPassword })).toBe('INVALID_CREDENTIALS');
    const password = 'another-word-for-three-days';
    for (const [weak, code] of [
      ['short', 'VALIDATION_FAILED'],
      ['iloveyou2024', 'WEAK_PASSWORD'],
    ] as const) {
      await expect(resetOperator(identity.get(Database), email, weak)).rejects.toMatchObject({ code });
    }
    await resetOperator(identity.get(Database), email, password);
    expect(await refused(email, { password, newPassword })).toBe('no error');
  });
});

describe('an operator who changes the password', () => {
  const change = { currentPassword: PASSWORD, newPassword: 'tidal-lantern-orbits-quietly' };

  it('goes on in the session of the change; all other sessions end, and the former password signs nobody in', async () => {
    const own = await operators.newlySignedIn('reviewer');
    const other = await operators.signedIn(own.email);
    const { deviceToken } = await operators.call('changePassword', change, own.accessToken);
    expect(deviceToken).toEqual(expect.any(String));
    await cutOff(other.accessToken);
    expect(await refusedRefresh(other.refreshToken)).toBe('INVALID_REFRESH_TOKEN');
    expect((await refresh(own.refreshToken)).accessToken).toBeTruthy();
    const login = (password: string) => operators.refusal('login', { email: own.email, password, ...ORIGIN });
    expect([await login(PASSWORD), await login(change.newPassword)]).toEqual(['INVALID_CREDENTIALS', 'no error']);
  });

  it('proves the present one, and who uses the session a short while ago', async () => {
    const { accessToken } = await operators.newlySignedIn('reviewer');
    const refusal = (changes: object) => operators.refusal('changePassword', { ...change, ...changes }, accessToken);
    expect(await refusal({ currentPassword: 'not-the-password' })).toBe('INVALID_CREDENTIALS');
    expect(await refusal({ newPassword: PASSWORD })).toBe('WEAK_PASSWORD');
    expect(await refusal({ newPassword: 'iloveyou2024' })).toBe('WEAK_PASSWORD');
    await identity.forgetProofs(PLATFORM_TENANT);
    expect(await refusal({})).toBe('STEP_UP_REQUIRED');
    await operators.call('stepUp', { password: PASSWORD }, accessToken);
    expect(await refusal({})).toBe('no error');
  });

  it('tries ten wrong ones in a session', async () => {
    const { accessToken } = await operators.newlySignedIn('reviewer');
    const wrong = { ...change, currentPassword: 'not-the-password' };
    for (let count = 0; count < FAILURES_PER_ACCOUNT; count += 1) {
      expect(await operators.refusal('changePassword', wrong, accessToken)).toBe('INVALID_CREDENTIALS');
    }
    expect(await operators.refusal('changePassword', change, accessToken)).toBe('RATE_LIMITED');
  });
});

describe('an operator who is linked to a workspace', () => {
  it('never changes the link: another administrator does', async () => {
    const linkedTenantId = newId();
    const linked = await operators.newlySignedIn('administrator', linkedTenantId);
    const [id, other] = [await idOf(linked.accessToken), await operators.newlySignedIn()];
    for (const changed of [null, newId()]) {
      const request = { id, linkedTenantId: changed };
      expect(await operators.refusal('changeOperator', request, linked.accessToken)).toBe('CONFLICT');
    }
    const same = { id, name: 'Ada', linkedTenantId };
    expect(await operators.call('changeOperator', same, linked.accessToken)).toMatchObject({
      name: 'Ada',
      linkedTenantId,
    });
    const unlinked = await operators.call('changeOperator', { id, linkedTenantId: null }, other.accessToken);
    expect(unlinked).toMatchObject({ linkedTenantId: null });
  });

  it('sets the plan of every workspace but that one', async () => {
    const [own, other] = [await identity.account(), await identity.account()];
    const { accessToken } = await operators.newlySignedIn('administrator', own.tenantId);
    const setPlan = (id: string) => operators.refusal('setPlan', { id, plan: 'enterprise' }, accessToken);
    for (const id of [own.tenantId, own.tenantId.toUpperCase()]) expect(await setPlan(id)).toBe('OWN_WORKSPACE');
    expect(await setPlan(other.tenantId)).toBe('no error');
  });
});

describe('what operators send', () => {
  const id = newId();

  it('is refused when it is not what the call takes', async () => {
    const { accessToken } = await operators.newlySignedIn();
    for (const [name, request] of [
      ['verifyCode', { challengeId: 'c', code: '12345' }],
      ['verifyCode', { challengeId: 'c', code: 'ABCD-EFGH-IJKL' }],
      ['verifyCode', { challengeId: 'c', code: 'ABCD-EFGH-IJKL-MNOP-QRST' }],
      ['verifyCode', { challengeId: 'c', code: `${'ABCD-'.repeat(7)}ABCD` }],
      ['changeOperator', { id, role: 'owner' }],
      ['changeOperator', { id, name: ' ' }],
      ['setPlan', { id, plan: 'gold' }],
      ['suspend', { id, reason: '' }],
      ['suspend', { id, reason: ' ' }],
      ['reinstate', { id, reason: 'x'.repeat(2001) }],
      ['suspend', { id, reason: 'It sends spam', undeclared: 1 }],
    ] as const) {
      const code = await operators.refusal(name, request, accessToken);
      expect([name, request, code]).toEqual([name, request, 'VALIDATION_FAILED']);
    }
  });

  it.each([
    ['as it is shown', 'ABCD-EFGH-IJKL-MNOP-QRST-UVWX-YZ23'],
    ['in small letters', 'abcdefghijklmnopqrstuvwxyz23'],
    ['of an authenticator', '123456'],
  ])('may be a code %s', async (_how, code) => {
    expect(await operators.refusal('verifyCode', { challengeId: 'c', code })).toBe('INVALID_CREDENTIALS');
  });

  it('says which workspaces are to be listed, and names ids that exist', async () => {
    const { accessToken: token } = await operators.newlySignedIn();
    for (const query of ['', '?state=active', '?state=suspended&size=201']) {
      const answer = await identity.service.requestOfOperator<object>('GET', `/api/admin/tenants${query}`, { token });
      expect([query, ...(await outcome(answer))]).toEqual([query, 400, 'INVALID_QUERY']);
    }
    expect(await operators.refusal('changeOperator', { id: 'nonsense', role: 'reviewer' }, token)).toBe('NOT_FOUND');
  });
});

describe('the trail of operators in identity', () => {
  let administrator: { id: string; token: string };
  beforeAll(async () => {
    administrator = await signedIn();
  });

  async function signedIn(role?: 'reviewer'): Promise<{ id: string; token: string; email: string }> {
    const { accessToken: token, email } = await operators.newlySignedIn(role);
    return { id: await idOf(token), token, email };
  }
  const trail = async (query: object): Promise<OperatorAuditEntry[]> =>
    (await operators.call('listAudit', { size: 100, ...query }, administrator.token)).data;
  const acts = (entries: OperatorAuditEntry[]) => entries.map(({ act }) => act);

  it('has how an operator came, signed in, failed to, and signed out', async () => {
    const { id, token, email } = await signedIn('reviewer');
    const wrong = { email, password: 'not-the-password-at-all', ...ORIGIN };
    expect(await operators.refusal('login', wrong)).toBe('INVALID_CREDENTIALS');
    // Recorded after the answer, whose time says nothing.
    await waitUntil(async () => (await trail({ act: 'operator.sign-in-failed', subjectId: id })).length === 1);
    await operators.call('endSessions', {}, token);
    const entries = await trail({ subjectKind: 'operator', subjectId: id });
    expect(acts(entries)).toEqual([
      'operator.sign-out',
      'operator.sign-in-failed',
      'operator.sign-in',
      'operator.create',
    ]);
    expect(entries[1]).toMatchObject({
      operatorId: id,
      role: 'reviewer',
      subjectName: email,
      findings: { ...ORIGIN, reason: 'wrong password' },
    });
    expect(entries[2]).toMatchObject({ operatorId: id, role: 'reviewer', findings: ORIGIN });
    expect(entries[3]).toMatchObject({ operatorId: null, role: null, after: { role: 'reviewer' } });
    expect(JSON.stringify(entries)).not.toContain('not-the-password-at-all');
  });

  it('has nothing of an address that belongs to nobody', async () => {
    const before = (await trail({ act: 'operator.sign-in-failed' })).length;
    const login = { email: 'my-password-by-mistake@platform.test', password: 'x', ...ORIGIN };
    expect(await operators.refusal('login', login)).toBe('INVALID_CREDENTIALS');
    expect(await trail({ act: 'operator.sign-in-failed' })).toHaveLength(before);
  });

  it('has what administrators do to operators, before and after', async () => {
    const { id, email } = await signedIn('reviewer');
    await operators.call('changeOperator', { id, role: 'administrator', name: 'Grace' }, administrator.token);
    for (const act of ['endSessionsOf', 'resetAuthenticator'] as const) {
      await operators.call(act, { id }, administrator.token);
    }
    await resetOperator(identity.get(Database), email);
    const entries = await trail({ subjectId: id });
    expect(acts(entries).slice(0, 4)).toEqual([
      'operator.reset-authenticator',
      'operator.reset-authenticator',
      'operator.end-sessions',
      'operator.change',
    ]);
    const [ofCommand, ...ofAdministrator] = entries.slice(0, 3).map(({ operatorId }) => operatorId);
    expect([ofCommand, ofAdministrator]).toEqual([null, [administrator.id, administrator.id]]);
    expect(entries[3]).toMatchObject({
      operatorId: administrator.id,
      role: 'administrator',
      subjectName: email,
      before: { role: 'reviewer' },
      after: { role: 'administrator', name: 'Grace' },
    });
  });

  it('has the plans of tenants, and nothing of a plan that was refused', async () => {
    const { tenantId, accessToken: owner } = await identity.account();
    const plan = { id: tenantId, plan: 'enterprise' };
    expect(await operators.refusal('setPlan', plan, owner)).toBe('UNAUTHENTICATED');
    await operators.call('setPlan', plan, administrator.token);
    expect(await trail({ subjectKind: 'tenant', subjectId: tenantId })).toMatchObject([
      { act: 'tenant.set-plan', operatorId: administrator.id, after: { plan: 'enterprise' } },
    ]);
  });

  it('is changed by nobody, through no role of the service', async () => {
    for (const act of [
      "UPDATE operator_audit SET reason = 'x'",
      'DELETE FROM operator_audit',
      'TRUNCATE operator_audit',
    ]) {
      await expect(identity.query(PLATFORM_TENANT, act)).rejects.toThrow(/permission denied/);
      await expect(identity.queryAll(act)).rejects.toThrow(/permission denied/);
    }
  });
});
