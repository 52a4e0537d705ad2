import { rpc, type ServiceName } from '@crm/contracts';
import { Database, newId } from '@crm/database';
import { MessagingModule, Rpc } from '@crm/messaging';
import { testNats, waitUntil } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AuditRetentionSweeper, AuditTrail } from '../src/audit/audit-trail.service.js';
import { REFUSALS_PER_HOUR } from '../src/audit/refused-acts.js';
import { auditOf, entryOf } from './audit.js';
import { crossTenant, inTenant } from './checks.js';
import { type Account, newEmail, PASSWORD, TestIdentity } from './identity.js';

let identity: TestIdentity;
beforeAll(async () => {
  identity = await TestIdentity.start();
});
afterAll(() => identity?.close());

const send = (method: string, path: string, { accessToken }: Account, body?: unknown) =>
  identity.request(method, path, { token: accessToken, ...(body !== undefined && { body }) });

describe('the audit trail', () => {
  it('has a sign-in with its session, the device in words, the address and the request', async () => {
    const owner = await identity.account();
    const headers = {
      'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0',
      'x-request-id': 'audit-request-1',
    };
    const { status } = await identity.login(owner.email, PASSWORD, headers);
    expect(status).toBe(200);
    const [entry] = await auditOf(identity, owner, '&action=sign_in.succeeded');
    const { total, ...open } = (await send('GET', '/api/auth/sessions', owner)).body;
    expect(total).toBe(2);
    expect(entry).toMatchObject({
      outcome: 'success',
      actor: { kind: 'user', id: owner.userId, name: 'Somebody' },
      subject: { kind: 'user', id: owner.userId, name: 'Somebody' },
      address: '127.0.0.1',
      device: 'Firefox on Linux',
      requestId: 'audit-request-1',
      detail: { method: 'password', sessionId: open.data[0]?.id },
    });
  });

  it('has failed sign-ins of known accounts, without saying who tried, and bounded', async () => {
    const owner = await identity.account();
    expect((await identity.login(owner.email, 'wrong-password-1')).status).toBe(401);
    expect(await entryOf(identity, owner, 'sign_in.failed')).toMatchObject({
      outcome: 'failure',
      actor: { kind: 'system', id: null },
      subject: { kind: 'user', id: owner.userId },
      address: '127.0.0.1',
      detail: { reason: 'password' },
    });
    // From ever other addresses and a known device, so that no limit of sign-ins ends the attack first.
    const device = { 'x-device-token': (await identity.login(owner.email)).headers.get('x-device-token') ?? '' };
    for (let attempt = 0; attempt < REFUSALS_PER_HOUR + 5; attempt += 1) {
      const from = { 'x-forwarded-for': `198.51.100.${attempt + 1}`, ...device };
      expect((await identity.login(owner.email, 'wrong-password-1', from)).status).toBe(401);
    }
    expect((await identity.login(owner.email, PASSWORD, device)).status).toBe(200);
    const failures = await auditOf(identity, owner, '&action=sign_in.failed');
    expect(failures.length).toBeLessThanOrEqual(REFUSALS_PER_HOUR + 1);
    expect(failures.length).toBeGreaterThan(10);
  });

  it('tells whoever only claims an address nothing of attempts to sign in with it', async () => {
    const victim = await identity.account();
    const thief = await identity.account();
    await crossTenant(identity, 'INSERT INTO email_claim (user_id, tenant_id, email) VALUES ($1, $2, $3)', [
      thief.userId,
      thief.tenantId,
      victim.email,
    ]);
    expect((await identity.login(victim.email, 'wrong-password-1')).status).toBe(401);
    await entryOf(identity, victim, 'sign_in.failed');
    expect(await auditOf(identity, thief, '&action=sign_in.failed')).toEqual([]);
  });

  it('has sign-outs, sessions that were ended, and a refresh token that was used twice', async () => {
    const owner = await identity.account();
    const member = await identity.member(owner);
    const second = await identity.signedIn(member.email);
    const { body } = await send('GET', `/api/tenant/users/${member.userId}/sessions`, owner);
    const [newest] = body.data;
    await send('DELETE', `/api/tenant/users/${member.userId}/sessions/${newest?.id}`, owner);
    await send('DELETE', `/api/tenant/users/${member.userId}/sessions`, owner);
    expect(await entryOf(identity, owner, 'session.ended')).toMatchObject({
      actor: { kind: 'user', id: owner.userId },
      subject: { kind: 'user', id: member.userId },
      detail: { sessionId: newest?.id },
    });
    expect(await entryOf(identity, owner, 'session.all_ended')).toMatchObject({
      actor: { id: owner.userId },
      subject: { kind: 'user', id: member.userId },
      detail: { sessions: 1 },
    });
    expect(second.accessToken).toBeDefined();
    const thief = await identity.signedIn(member.email);
    const first = await identity.post('/api/auth/refresh', { refreshToken: thief.refreshToken });
    await identity.post('/api/auth/refresh', { refreshToken: first.body.refreshToken });
    expect((await identity.post('/api/auth/refresh', { refreshToken: thief.refreshToken })).status).toBe(401);
    expect(await entryOf(identity, owner, 'session.replay_noticed')).toMatchObject({
      outcome: 'failure',
      actor: { kind: 'system' },
      subject: { kind: 'user', id: member.userId },
    });
    const leaving = await identity.signedIn(member.email);
    expect((await send('POST', '/api/auth/logout', leaving)).status).toBe(204);
    expect((await entryOf(identity, owner, 'sign_in.signed_out')).actor.id).toBe(member.userId);
  });

  it('has what administrators do with users, with roles before and after, and no address of a person', async () => {
    const owner = await identity.account();
    const email = newEmail();
    const invited = await send('POST', '/api/tenant/users', owner, { email, name: 'Grace', roles: ['member'] });
    await send('POST', `/api/tenant/users/${invited.body.id}/invitation`, owner);
    await send('PATCH', `/api/tenant/users/${invited.body.id}`, owner, { name: 'Ada', roles: ['viewer'] });
    await send('PATCH', `/api/tenant/users/${invited.body.id}`, owner, { status: 'disabled' });
    await send('PUT', '/api/tenant/sign-in-policy', owner, { secondFactor: 'required' });
    const entries = await auditOf(identity, owner);
    expect(entries.map(({ action }) => action)).toEqual([
      'workspace.sign_in_policy_changed',
      'user.disabled',
      'user.roles_changed',
      'user.renamed',
      'user.invited_again',
      'user.invited',
      'sign_in.succeeded',
      'workspace.registered',
    ]);
    expect(entries[2]).toMatchObject({ detail: { from: ['member'], to: ['viewer'] }, subject: { name: 'Ada' } });
    const stored = await inTenant(identity, owner, 'SELECT to_jsonb(e)::text AS text FROM audit_entry e');
    for (const row of stored as { text: string }[]) {
      expect(row.text).not.toMatch(/Grace|Ada|@identity\.test|correct-horse/);
    }
  });

  it('has changes of passwords and second factors, in the transaction of the change', async () => {
    const owner = await identity.account();
    const refused = { currentPassword: 'wrong-password-1', newPassword: 'another-Horse-42-staple' };
    expect((await send('POST', '/api/auth/password', owner, refused)).status).toBe(401);
    expect(await auditOf(identity, owner, '&action=password.changed')).toEqual([]);
    expect(await entryOf(identity, owner, 'proof.failed')).toMatchObject({
      outcome: 'failure',
      actor: { id: owner.userId },
    });
    expect((await send('POST', '/api/auth/step-up', owner, { password: 'wrong-password-1' })).status).toBe(401);
    await waitUntil(async () => (await auditOf(identity, owner, '&action=proof.failed')).length === 2, {
      describe: 'the wrong proof is recorded',
    });
    const change = { currentPassword: PASSWORD, newPassword: 'another-Horse-42-staple' };
    expect((await send('POST', '/api/auth/password', owner, change)).status).toBe(200);
    expect((await entryOf(identity, owner, 'password.changed')).actor.id).toBe(owner.userId);
    const mfa = { enabled: true, password: change.newPassword };
    expect((await send('PUT', '/api/auth/mfa', owner, mfa)).status).toBe(204);
    expect((await entryOf(identity, owner, 'second_factor.enabled')).subject?.id).toBe(owner.userId);
    const codeWrong = await identity.login(owner.email, change.newPassword);
    const { challengeId } = codeWrong.body;
    expect((await identity.post('/api/auth/mfa/verify', { challengeId, code: '000000' })).status).toBe(401);
    expect((await entryOf(identity, owner, 'sign_in.failed')).detail).toEqual({ reason: 'code' });
    await identity.post('/api/auth/password-resets', { email: owner.email });
    expect((await entryOf(identity, owner, 'password.reset_requested')).actor.kind).toBe('system');
  });

  it('is rolled back with an act that fails', async () => {
    const owner = await identity.account();
    const failing = identity.get(Database).transaction(owner.tenantId, async (tx) => {
      identity.get(AuditTrail).record(tx, { action: 'user.renamed', subject: { kind: 'user', id: owner.userId } });
      throw new Error('The change failed');
    });
    await expect(failing).rejects.toThrow('The change failed');
    expect(await auditOf(identity, owner, '&action=user.renamed')).toEqual([]);
  });

  it('stays small whatever a caller chooses', async () => {
    const owner = await identity.account();
    const detail = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`k${index}`, 'x'.repeat(10_000)]));
    await identity.get(Database).transaction({ tenantId: owner.tenantId, address: 'a'.repeat(500) }, async (tx) => {
      const subject = { kind: 'user', id: 'b'.repeat(5_000) } as const;
      identity.get(AuditTrail).record(tx, { action: 'user.renamed', subject, detail });
    });
    const [entry] = await auditOf(identity, owner, '&action=user.renamed');
    expect(JSON.stringify(entry).length).toBeLessThan(5_000);
  });

  it('is filtered by action, actor, subject, outcome and time, and paged by a cursor', async () => {
    const owner = await identity.account();
    const member = await identity.member(owner);
    const middle = new Date().toISOString();
    await send('PATCH', `/api/tenant/users/${member.userId}`, owner, { name: 'Another' });
    expect((await auditOf(identity, owner, `&actor=${member.userId}`)).map(({ action }) => action)).toEqual([
      'sign_in.succeeded',
    ]);
    expect((await auditOf(identity, owner, `&subject=${member.userId}`)).map(({ action }) => action)).toEqual([
      'user.renamed',
      'sign_in.succeeded',
      'user.added',
    ]);
    expect(await auditOf(identity, owner, '&outcome=failure')).toEqual([]);
    expect((await auditOf(identity, owner, `&from=${middle}`)).map(({ action }) => action)).toEqual(['user.renamed']);
    expect((await auditOf(identity, owner, `&to=${middle}`)).map(({ action }) => action)).not.toContain('user.renamed');
    const seen: string[] = [];
    let cursor = '';
    do {
      const { body } = await send('GET', `/api/admin/audit?size=2${cursor}`, owner);
      seen.push(...body.data.map(({ id }) => id));
      cursor = body.nextCursor === null ? '' : `&cursor=${body.nextCursor}`;
    } while (cursor !== '');
    expect(seen).toEqual((await auditOf(identity, owner)).map(({ id }) => id));
    expect(new Set(seen).size).toBe(seen.length);
    for (const query of ['action=nothing', 'from=yesterday', `from=${middle}&to=${middle}`]) {
      expect((await send('GET', `/api/admin/audit?${query}`, owner)).status).toBe(400);
    }
  });

  it('is shown to administrators of the workspace only', async () => {
    const owner = await identity.account();
    const member = await identity.member(owner);
    const stranger = await identity.account();
    expect((await send('GET', '/api/admin/audit', member)).status).toBe(403);
    const range = `from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z`;
    expect((await send('GET', `/api/admin/audit/export?${range}`, member)).status).toBe(403);
    const foreign = await auditOf(identity, stranger, `&subject=${member.userId}`);
    expect(foreign).toEqual([]);
    const { body } = await send('GET', '/api/admin/audit?size=1', owner);
    const next = `/api/admin/audit?size=1&cursor=${body.nextCursor}`;
    expect((await send('GET', next, owner)).status).toBe(200);
    expect((await send('GET', next, stranger)).status).toBe(400);
  });

  it('writes no entry for a refresh', async () => {
    const owner = await identity.account();
    const before = await auditOf(identity, owner);
    expect((await identity.post('/api/auth/refresh', { refreshToken: owner.refreshToken })).status).toBe(200);
    expect((await auditOf(identity, owner)).length).toBe(before.length);
  });
});

describe('entries of the audit trail', () => {
  it('cannot be changed or removed by any role of the service', async () => {
    const owner = await identity.account();
    const database = identity.get(Database);
    const { tenantId } = owner;
    const refused = expect.objectContaining({ message: expect.stringContaining('permission denied') });
    for (const statement of [
      "UPDATE audit_entry SET action = 'a.b'",
      'DELETE FROM audit_entry',
      'TRUNCATE audit_entry',
    ]) {
      await expect(database.transaction(tenantId, (tx) => tx.query(statement))).rejects.toEqual(refused);
    }
    await expect(database.crossTenant((tx) => tx.query("UPDATE audit_entry SET action = 'a.b'"))).rejects.toEqual(
      refused,
    );
    // Not even in the context of the tenant does the role that sweeps reach young ones.
    await database.crossTenant(async (tx) => {
      await tx.query("SELECT set_config('app.tenant_id', $1, true)", [tenantId]);
      await tx.query('DELETE FROM audit_entry');
    });
    expect((await auditOf(identity, owner)).length).toBeGreaterThan(0);
  });

  it('are removed when their retention is over', async () => {
    const owner = await identity.account();
    const daysAgo = (days: number) => newIdOf(Date.now() - days * 86_400_000);
    const [old, kept] = [daysAgo(401), daysAgo(399)];
    await identity.get(Database).transaction(owner.tenantId, async (tx) => {
      for (const id of [old, kept]) identity.get(AuditTrail).record(tx, { action: 'user.renamed', id });
    });
    await identity.get(AuditRetentionSweeper).sweep();
    expect((await auditOf(identity, owner, '&action=user.renamed')).map(({ id }) => id)).toEqual([kept]);
  });
});

/** An id of another time. */
function newIdOf(ms: number): string {
  const digits = ms.toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}${newId().slice(13)}`;
}

describe('an export of the audit trail', () => {
  const range = () => {
    const day = 86_400_000;
    const [from, to] = [new Date(Date.now() - day), new Date(Date.now() + day)];
    return `from=${from.toISOString()}&to=${to.toISOString()}`;
  };
  const text = async (owner: Account, query: string) => {
    const { status, body, headers } = await send('GET', `/api/admin/audit/export?${query}`, owner);
    expect(status).toBe(200);
    return { text: body as unknown as string, headers };
  };

  it('has every entry in order, in lines of JSON, over several batches', async () => {
    const owner = await identity.account();
    await identity.get(Database).transaction(owner.tenantId, async (tx) => {
      for (let index = 0; index < 1_203; index += 1) {
        identity.get(AuditTrail).record(tx, { action: 'user.renamed', detail: { index } });
      }
    });
    const { text: lines, headers } = await text(owner, `${range()}&action=user.renamed`);
    expect(headers.get('content-type')).toContain('application/x-ndjson');
    expect(headers.get('content-disposition')).toBe('attachment; filename="audit.ndjson"');
    const entries = lines
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(entries.map(({ detail }) => detail.index)).toEqual(Array.from({ length: 1_203 }, (_, index) => index));
    expect((await entryOf(identity, owner, 'audit.exported')).detail).toMatchObject({ format: 'ndjson' });
  });

  it('is CSV whose cells are no formulas', async () => {
    const owner = await identity.account();
    const member = await identity.member(owner);
    await send('PATCH', `/api/tenant/users/${member.userId}`, owner, { name: '=HYPERLINK("https://evil.test","x")' });
    const { text: csv, headers } = await text(owner, `${range()}&format=csv&subject=${member.userId}`);
    expect(headers.get('content-type')).toContain('text/csv');
    const [head, ...lines] = csv.trimEnd().split('\r\n');
    expect(head).toMatch(/^id,at,action,outcome,actorKind/);
    expect(lines).toHaveLength(3);
    for (const line of lines) expect(line).toContain(`,"'=HYPERLINK(""https://evil.test"",""x"")",`);
  });

  it('covers a hundred days at most, and is bounded per hour', async () => {
    const owner = await identity.account();
    const status = async (query: string) => (await send('GET', `/api/admin/audit/export?${query}`, owner)).status;
    expect(await status('from=2026-01-01T00:00:00Z&to=2026-04-12T00:00:00Z')).toBe(400);
    expect(await status('from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z')).toBe(400);
    expect(await status('from=2026-01-01T00:00:00Z')).toBe(400);
    expect(await status(`${range()}&format=xml`)).toBe(400);
    const answers = [];
    for (let index = 0; index < 22; index += 1) answers.push(await status(range()));
    expect(answers.filter((answer) => answer === 429).length).toBeGreaterThan(0);
  });
});

let context: INestApplicationContext;
let calls: Rpc;

beforeAll(async () => {
  const service: ServiceName = 'automation-hooks';
  const { url, passwords } = testNats();
  const config = { url, user: service, password: passwords[service], service };
  context = await NestFactory.createApplicationContext(MessagingModule.forService({ config }), { logger: false });
  calls = context.get(Rpc);
});
afterAll(() => context?.close());

const admit = (act: 'issued' | 'previous_revoked', workflowId: string, { accessToken: token }: Account) => {
  const request = { act, workflowId, ...(act === 'issued' && { overlapSeconds: 3600 }) };
  return calls.call(rpc.identity.admitHookSecretAct, request, { token }).then(
    () => 'admitted',
    (error: { code?: string }) => error.code,
  );
};
const actsOf = async (owner: Account) =>
  (await auditOf(identity, owner)).filter(({ action }) => action.startsWith('hook_secret.'));

it('new secrets of hooks and those that are ended are in the audit trail', async () => {
  const owner = await identity.account();
  const workflowId = newId();
  expect(await admit('issued', workflowId, owner)).toBe('admitted');
  expect(await admit('previous_revoked', workflowId, owner)).toBe('admitted');
  const common = { outcome: 'success', actor: { id: owner.userId }, subject: { kind: 'workflow', id: workflowId } };
  expect(await actsOf(owner)).toMatchObject([
    { ...common, action: 'hook_secret.previous_revoked', detail: {} },
    { ...common, action: 'hook_secret.issued', detail: { overlapSeconds: 3600 } },
  ]);
});

it('a new secret of a hook needs a recent proof, and ending one does not', async () => {
  const owner = await identity.account();
  const workflowId = newId();
  await inTenant(identity, owner, "UPDATE session SET proven_at = now() - interval '601 seconds'");
  expect(await admit('issued', workflowId, owner)).toBe('STEP_UP_REQUIRED');
  expect(await actsOf(owner)).toEqual([]);
  expect(await admit('previous_revoked', workflowId, owner)).toBe('admitted');
  await identity.post('/api/auth/step-up', { password: PASSWORD }, owner.accessToken);
  expect(await admit('issued', workflowId, owner)).toBe('admitted');
});

it('people who do not administer replace no secrets of hooks', async () => {
  const owner = await identity.account();
  const member = await identity.member(owner);
  expect(await admit('issued', newId(), member)).toBe('FORBIDDEN');
  expect(await admit('previous_revoked', newId(), member)).toBe('FORBIDDEN');
  expect(await actsOf(owner)).toEqual([]);
});
