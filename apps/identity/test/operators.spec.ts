import { TokenVerifier } from '@crm/access';
import { AUDIENCES, type OperatorAuditEntry, PlatformError } from '@crm/contracts';
import { Database, newId } from '@crm/database';
import { waitUntil } from '@crm/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { resetOperator } from '../src/operator.js';
import { PLATFORM_TENANT } from '../src/platform-tenant.js';
import { GRACE_SECONDS } from '../src/sessions/refresh-token.repository.js';
import { FAILURES_FROM_ANYWHERE } from '../src/sign-in/guess-limits.js';
import { PASSWORD, TestIdentity } from './identity.js';
import { ORIGIN, TestOperators } from './operators.js';

const identity = TestIdentity.ofFile();
const operators = new TestOperators(identity);

const platform = (sql: string) => identity.query(PLATFORM_TENANT, sql, []);
const refresh = (refreshToken: string) => operators.call('refresh', { refreshToken, ...ORIGIN });
const refusedRefresh = (refreshToken: string) => operators.refusal('refresh', { refreshToken, ...ORIGIN });
const verify = (token: string) => identity.get(TokenVerifier).verify(token, [AUDIENCES.admin]);
const isRevoked = (token: string) => async () =>
  verify(token).then(
    () => false,
    (error) => error instanceof PlatformError && error.code === 'TOKEN_REVOKED',
  );
const cutOff = (token: string) =>
  waitUntil(isRevoked(token), { timeoutMs: 1000, describe: 'the access token is revoked' });
const idOf = async (token: string) => (await verify(token)).userId;

describe('an operator whose password is guessed at from many addresses', () => {
  it('is slowed, but for a known device, whose token is good for no other operator', async () => {
    const [email, other] = [await operators.create(), await operators.create()];
    const { deviceToken } = await operators.login(email);
    const { deviceToken: ofAnother } = await operators.login(other);
    const login = (changes: object) => operators.refusal('login', { email, password: PASSWORD, ...ORIGIN, ...changes });
    const codes: string[] = [];
    for (let index = 0; index < FAILURES_FROM_ANYWHERE + 1; index += 1) {
      codes.push(await login({ password: 'not-the-password', address: `203.0.113.${index}` }));
    }
    expect(codes.filter((code) => code === 'INVALID_CREDENTIALS')).toHaveLength(FAILURES_FROM_ANYWHERE);
    expect(await login({})).toBe('RATE_LIMITED');
    expect(await login({ deviceToken: ofAnother })).toBe('RATE_LIMITED');
    expect(await login({ deviceToken, password: 'not-the-password' })).toBe('INVALID_CREDENTIALS');
    expect(await login({ deviceToken })).toBe('no error');
  });
});

describe('a session of an operator', () => {
  it('ends when a thief has refreshed twice and the operator presents the token that both had', async () => {
    const { refreshToken } = await operators.signedIn(await operators.create());
    const { refreshToken: second } = await refresh(refreshToken);
    const stolen = await refresh(second);
    expect(await refusedRefresh(refreshToken)).toBe('INVALID_REFRESH_TOKEN');
    expect(await refusedRefresh(stolen.refreshToken)).toBe('INVALID_REFRESH_TOKEN');
    await cutOff(stolen.accessToken);
  });

  it('survives a lost answer, and not a replay after ten seconds', async () => {
    const { refreshToken } = await operators.signedIn(await operators.create());
    const lost = await refresh(refreshToken);
    expect((await refresh(refreshToken)).refreshToken).toBe(lost.refreshToken);
    await identity.queryAll('UPDATE refresh_token SET rotated_at = rotated_at - make_interval(secs => $1)', [
      GRACE_SECONDS,
    ]);
    expect(await refusedRefresh(refreshToken)).toBe('INVALID_REFRESH_TOKEN');
    expect(await refusedRefresh(lost.refreshToken)).toBe('INVALID_REFRESH_TOKEN');
  });

  it('ends by signing out: the access token is refused within a second', async () => {
    const { accessToken, refreshToken } = await operators.signedIn(await operators.create());
    const { sessionId = '' } = await verify(accessToken);
    await operators.call('endSession', { id: sessionId }, accessToken);
    await cutOff(accessToken);
    expect(await refusedRefresh(refreshToken)).toBe('INVALID_REFRESH_TOKEN');
  });

  it('is listed with its device and ended with all others of the operator', async () => {
    const email = await operators.create();
    const first = await operators.signedIn(email);
    const second = await operators.signedIn(email);
    const { data } = await operators.call('listSessions', {}, second.accessToken);
    expect(data.map(({ current, device, address }) => [current, device, address])).toEqual([
      [true, 'Firefox on Linux', ORIGIN.address],
      [false, 'Firefox on Linux', ORIGIN.address],
    ]);
    await operators.call('endSessions', {}, second.accessToken);
    await cutOff(first.accessToken);
    await cutOff(second.accessToken);
  });

  it('is refreshed at the address of operators only, and a session of a user at that of users only', async () => {
    const user = await identity.account();
    expect(await refusedRefresh(user.refreshToken)).toBe('INVALID_REFRESH_TOKEN');
    expect((await identity.post('/api/auth/refresh', { refreshToken: user.refreshToken })).status).toBe(200);
    const { refreshToken } = await operators.signedIn(await operators.create());
    expect((await identity.post('/api/auth/refresh', { refreshToken })).status).toBe(401);
    expect((await refresh(refreshToken)).accessToken).toBeTruthy();
  });
});

describe('the management of operators', () => {
  const change = (id: string, changes: object, token: string) =>
    operators.call('changeOperator', { id, ...changes }, token);

  it('is refused to reviewers and to users of workspaces', async () => {
    const { accessToken: reviewer } = await operators.signedIn(await operators.create('reviewer'));
    const id = await idOf(reviewer);
    const { accessToken: owner, tenantId } = await identity.account();
    for (const [token, code] of [
      [reviewer, 'FORBIDDEN'],
      [owner, 'UNAUTHENTICATED'],
    ] as const) {
      expect(await operators.refusal('listOperators', {}, token)).toBe(code);
      expect(await operators.refusal('changeOperator', { id, role: 'administrator' }, token)).toBe(code);
      expect(await operators.refusal('endSessionsOf', { id }, token)).toBe(code);
      expect(await operators.refusal('resetAuthenticator', { id }, token)).toBe(code);
      expect(await operators.refusal('setPlan', { id: tenantId, plan: 'enterprise' }, token)).toBe(code);
    }
  });

  it('changes the role of an operator within a second', async () => {
    const { accessToken: administrator } = await operators.signedIn(await operators.create());
    const target = await operators.signedIn(await operators.create('reviewer'));
    const view = await change(await idOf(target.accessToken), { role: 'administrator' }, administrator);
    expect(view).toMatchObject({ role: 'administrator', authenticator: false });
    await cutOff(target.accessToken);
    const { accessToken } = await refresh(target.refreshToken);
    expect((await verify(accessToken)).roles).toEqual(['administrator']);
  });

  it('disables an operator within a second', async () => {
    const { accessToken: administrator } = await operators.signedIn(await operators.create());
    const email = await operators.create('reviewer');
    const target = await operators.signedIn(email);
    await change(await idOf(target.accessToken), { status: 'disabled' }, administrator);
    await cutOff(target.accessToken);
    expect(await refusedRefresh(target.refreshToken)).toBe('INVALID_REFRESH_TOKEN');
    const credentials = { email, password: PASSWORD, ...ORIGIN };
    expect(await operators.refusal('login', credentials)).toBe('INVALID_CREDENTIALS');
  });

  it('links an operator to a workspace: the next token says so', async () => {
    const { accessToken: administrator } = await operators.signedIn(await operators.create());
    const target = await operators.signedIn(await operators.create('reviewer'));
    const linkedTenantId = newId();
    expect(await change(await idOf(target.accessToken), { linkedTenantId }, administrator)).toMatchObject({
      linkedTenantId,
    });
    await cutOff(target.accessToken);
    expect((await verify((await refresh(target.refreshToken)).accessToken)).linkedTenantId).toBe(linkedTenantId);
    const created = await operators.signedIn(await operators.create('reviewer', linkedTenantId));
    expect((await verify(created.accessToken)).linkedTenantId).toBe(linkedTenantId);
  });

  it('needs a recent proof', async () => {
    const { accessToken } = await operators.signedIn(await operators.create());
    const id = await idOf((await operators.signedIn(await operators.create('reviewer'))).accessToken);
    await platform("UPDATE session SET proven_at = now() - interval '601 seconds'");
    const request = { id, role: 'administrator' as const };
    expect(await operators.refusal('changeOperator', request, accessToken)).toBe('STEP_UP_REQUIRED');
    expect(await operators.refusal('endSessionsOf', { id }, accessToken)).toBe('STEP_UP_REQUIRED');
    const wrong = { password: 'not-the-password' };
    expect(await operators.refusal('stepUp', wrong, accessToken)).toBe('INVALID_CREDENTIALS');
    await operators.call('stepUp', { password: PASSWORD }, accessToken);
    expect(await operators.call('changeOperator', request, accessToken)).toMatchObject({
      role: 'administrator',
    });
  });

  it('keeps one active administrator, also when two step down at once', async () => {
    await platform("UPDATE operator SET role = 'reviewer'");
    const two = await Promise.all(
      [0, 1].map(async () => (await operators.signedIn(await operators.create())).accessToken),
    );
    const outcomes = await Promise.all(
      two.map(async (token) => operators.refusal('changeOperator', { id: await idOf(token), role: 'reviewer' }, token)),
    );
    expect(outcomes.sort()).toEqual(['CONFLICT', 'no error']);
  });
});

describe('what operators send', () => {
  const id = newId();
  const reason = 'It sends spam';
  it.each([
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
    ['suspend', { id, reason, undeclared: 1 }],
  ] as const)('is refused when it is not what the call takes: %s %j', async (name, request) => {
    const { accessToken } = await operators.signedIn(await operators.create());
    expect(await operators.refusal(name, request, accessToken)).toBe('VALIDATION_FAILED');
  });

  it.each([
    ['as it is shown', 'ABCD-EFGH-IJKL-MNOP-QRST-UVWX-YZ23'],
    ['in small letters', 'abcdefghijklmnopqrstuvwxyz23'],
    ['of an earlier set', 'ABCD-EFGH-IJKL-MNOP-QRST-UVWX'],
    ['of the earliest sets', 'ABCD-EFGH-IJKL-MNOP'],
    ['of an authenticator', '123456'],
  ])('may be a code %s', async (_how, code) => {
    expect(await operators.refusal('verifyCode', { challengeId: 'c', code })).toBe('INVALID_CREDENTIALS');
  });

  it('says which workspaces are to be listed, and names ids that exist', async () => {
    const { accessToken: token } = await operators.signedIn(await operators.create());
    for (const query of ['', '?state=active', '?state=suspended&size=201']) {
      const { status, body } = await identity.service.requestOfOperator<{ code: string }>(
        'GET',
        `/api/admin/tenants${query}`,
        { token },
      );
      expect([query, status, body.code]).toEqual([query, 400, 'INVALID_QUERY']);
    }
    expect(await operators.refusal('changeOperator', { id: 'nonsense', role: 'reviewer' }, token)).toBe('NOT_FOUND');
  });

  it('signs out the session of the token', async () => {
    const { accessToken: token, refreshToken } = await operators.signedIn(await operators.create());
    const { status } = await identity.service.requestOfOperator('POST', '/api/auth/logout', { token });
    expect(status).toBe(204);
    await cutOff(token);
    expect(await refusedRefresh(refreshToken)).toBe('INVALID_REFRESH_TOKEN');
  });
});

describe('their trail', () => {
  let administrator: { id: string; token: string };
  beforeAll(async () => {
    administrator = await signedIn();
  });

  async function signedIn(role?: 'reviewer'): Promise<{ id: string; token: string; email: string }> {
    const email = await operators.create(role);
    const { accessToken: token } = await operators.signedIn(email);
    const { userId: id } = await identity.get(TokenVerifier).verify(token, [AUDIENCES.admin]);
    return { id, token, email };
  }
  async function trail(query: object): Promise<OperatorAuditEntry[]> {
    const page = await operators.call('listAudit', { size: 100, ...query }, administrator.token);
    return page.data;
  }
  const acts = (entries: OperatorAuditEntry[]) => entries.map(({ act }) => act);

  describe('the trail of operators in identity', () => {
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
      const call = { id, role: 'administrator' as const, name: 'Grace' };
      await operators.call('changeOperator', call, administrator.token);
      await operators.call('endSessionsOf', { id }, administrator.token);
      await operators.call('resetAuthenticator', { id }, administrator.token);
      await resetOperator(identity.get(Database), email);
      const entries = await trail({ subjectId: id });
      expect(acts(entries).slice(0, 4)).toEqual([
        'operator.reset-authenticator',
        'operator.reset-authenticator',
        'operator.end-sessions',
        'operator.change',
      ]);
      expect(entries.slice(0, 3).map(({ operatorId }) => operatorId)).toEqual([
        null,
        administrator.id,
        administrator.id,
      ]);
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

    it('is for administrators only', async () => {
      const { token: reviewer } = await signedIn('reviewer');
      const { accessToken: owner } = await identity.account();
      expect(await operators.refusal('listAudit', { size: 1 }, reviewer)).toBe('FORBIDDEN');
      expect(await operators.refusal('listAudit', { size: 1 }, owner)).toBe('UNAUTHENTICATED');
      expect(await operators.refusal('listAudit', { size: 1 })).toBe('UNAUTHENTICATED');
    });

    it('is changed by nobody, through no role of the service', async () => {
      const database = identity.get(Database);
      for (const sql of [
        "UPDATE operator_audit SET reason = 'x'",
        'DELETE FROM operator_audit',
        'TRUNCATE operator_audit',
      ]) {
        await expect(database.transaction(PLATFORM_TENANT, (tx) => tx.query(sql))).rejects.toThrow(/permission denied/);
        await expect(database.crossTenant((tx) => tx.query(sql))).rejects.toThrow(/permission denied/);
      }
    });
  });
});
