import { Database, newId } from '@crm/database';
import { waitUntil } from '@crm/testing';
import { describe, expect, it } from '@jest/globals';
import { AuditRetentionSweeper } from '../src/audit/audit-retention.sweeper.js';
import { AuditTrail } from '../src/audit/audit-trail.service.js';
import { REFUSALS_PER_HOUR } from '../src/audit/refused-acts.js';
import { auditOf, entryOf } from './audit.js';
import { protectedAccount } from './authenticators.js';
import { type Account, newEmail, PASSWORD, TestIdentity } from './identity.js';

const identity = TestIdentity.ofFile();

const send = identity.send.bind(identity);
const actionsOf = async (owner: Account, query?: string) =>
  (await auditOf(identity, owner, query)).map(({ action }) => action);
/** Records acts of a workspace, as its services do. */
const record = (context: Parameters<Database['transaction']>[0], acts: Parameters<AuditTrail['record']>[1][]) =>
  identity.get(Database).transaction(context, async (tx) => {
    for (const act of acts) identity.get(AuditTrail).record(tx, act);
  });

describe('the audit trail', () => {
  it('has a sign-in with its session, the device in words, the address and the request', async () => {
    const owner = await identity.account();
    const headers = {
      'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0',
      'x-request-id': 'audit-request-1',
    };
    expect((await identity.login(owner.email, PASSWORD, headers)).status).toBe(200);
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

  it('tells a workspace that has added an address nothing of attempts to sign in with it', async () => {
    const [victim, thief] = [await identity.account(), await identity.account()];
    const added = { email: victim.email, name: 'V', password: `thief-${PASSWORD}`, roles: ['member'] };
    expect((await send('POST', '/api/tenant/users', thief, added)).status).toBe(201);
    expect((await identity.login(victim.email, 'wrong-password-1')).status).toBe(401);
    await entryOf(identity, victim, 'sign_in.failed');
    expect(await auditOf(identity, thief, '&action=sign_in.failed')).toEqual([]);
  });

  it('has sign-outs, sessions that were ended, and a refresh token that was used twice', async () => {
    const { owner, member } = await identity.team('member');
    await identity.signedIn(member.email);
    const sessions = `/api/tenant/users/${member.userId}/sessions`;
    const [newest] = (await send('GET', sessions, owner)).body.data;
    await send('DELETE', `${sessions}/${newest?.id}`, owner);
    await send('DELETE', sessions, owner);
    const subject = { kind: 'user', id: member.userId };
    for (const [action, detail] of [
      ['session.ended', { sessionId: newest?.id }],
      ['session.all_ended', { sessions: 1 }],
    ] as const) {
      const actor = { kind: 'user', id: owner.userId };
      expect(await entryOf(identity, owner, action)).toMatchObject({ actor, subject, detail });
    }
    const thief = await identity.signedIn(member.email);
    const first = await identity.post('/api/auth/refresh', { refreshToken: thief.refreshToken });
    await identity.post('/api/auth/refresh', { refreshToken: first.body.refreshToken });
    expect((await identity.post('/api/auth/refresh', { refreshToken: thief.refreshToken })).status).toBe(401);
    expect(await entryOf(identity, owner, 'session.replay_noticed')).toMatchObject({
      outcome: 'failure',
      actor: { kind: 'system' },
      subject,
    });
    const leaving = await identity.signedIn(member.email);
    expect((await send('POST', '/api/auth/logout', leaving)).status).toBe(204);
    expect((await entryOf(identity, owner, 'sign_in.signed_out')).actor.id).toBe(member.userId);
  });

  it('has what administrators do with users, with roles before and after, and no address of a person', async () => {
    const owner = await identity.account();
    const invited = { email: newEmail(), name: 'Grace', roles: ['member'] };
    const { id } = (await send('POST', '/api/tenant/users', owner, invited)).body;
    await send('POST', `/api/tenant/users/${id}/invitation`, owner);
    await identity.changeUser(owner, id, { name: 'Ada', roles: ['viewer'] });
    await identity.changeUser(owner, id, { status: 'disabled' });
    await identity.changeUser(owner, id, { status: 'active' });
    await send('PUT', '/api/tenant/sign-in-policy', owner, { secondFactor: 'required' });
    const entries = await auditOf(identity, owner);
    expect(entries.map(({ action }) => action)).toEqual([
      'workspace.sign_in_policy_changed',
      'user.enabled',
      'user.disabled',
      'user.roles_changed',
      'user.renamed',
      'user.invited_again',
      'user.invited',
      'sign_in.succeeded',
      'workspace.registered',
    ]);
    expect(entries[3]).toMatchObject({ detail: { from: ['member'], to: ['viewer'] }, subject: { name: 'Ada' } });
    const stored = await identity.query(owner.tenantId, 'SELECT to_jsonb(e)::text AS text FROM audit_entry e');
    expect(stored).toHaveLength(entries.length);
    expect(JSON.stringify(stored)).not.toMatch(/Grace|Ada|@identity\.test|correct-horse/);
  });

  it('has changes of passwords and second factors, in the transaction of the change', async () => {
    const owner = await identity.account();
    const change = { currentPassword: PASSWORD, newPassword: 'another-Horse-42-staple' };
    const refused = { ...change, currentPassword: 'wrong-password-1' };
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
    expect((await send('POST', '/api/auth/password', owner, change)).status).toBe(200);
    expect((await entryOf(identity, owner, 'password.changed')).actor.id).toBe(owner.userId);
    expect((await identity.setSecondFactor(owner.accessToken, true, change.newPassword)).status).toBe(204);
    expect((await entryOf(identity, owner, 'second_factor.enabled')).subject?.id).toBe(owner.userId);
    const { challengeId } = (await identity.login(owner.email, change.newPassword)).body;
    expect((await identity.post('/api/auth/mfa/verify', { challengeId, code: '000000' })).status).toBe(401);
    expect((await entryOf(identity, owner, 'sign_in.failed')).detail).toEqual({ reason: 'code' });
    await identity.post('/api/auth/password-resets', { email: owner.email });
    expect((await entryOf(identity, owner, 'password.reset_requested')).actor.kind).toBe('system');
  });

  it('has a second factor that is turned off, and recovery codes that are replaced', async () => {
    const { account, app } = await protectedAccount(identity);
    const { accessToken, userId } = account;
    expect((await identity.post('/api/auth/step-up', { code: await app.freshCode() }, accessToken)).status).toBe(204);
    for (const [method, path, body, action] of [
      ['POST', '/api/auth/mfa/recovery-codes', undefined, 'recovery_codes.replaced'],
      ['DELETE', '/api/auth/mfa/authenticator', undefined, 'authenticator.removed'],
      ['PUT', '/api/auth/mfa', { enabled: false, password: PASSWORD }, 'second_factor.disabled'],
    ] as const) {
      const { status } = await send(method, path, account, body);
      expect([path, status]).toEqual([path, status < 300 ? status : 'less than 300']);
      expect(await entryOf(identity, account, action)).toMatchObject({
        actor: { id: userId },
        subject: { id: userId },
      });
    }
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
    const subject = { kind: 'user', id: 'b'.repeat(5_000) } as const;
    const context = { tenantId: owner.tenantId, address: 'a'.repeat(500) };
    await record(context, [{ action: 'user.renamed', subject, detail }]);
    const [entry] = await auditOf(identity, owner, '&action=user.renamed');
    expect(JSON.stringify(entry).length).toBeLessThan(5_000);
  });

  it('is filtered by action, actor, subject, outcome and time, and paged by a cursor', async () => {
    const { owner, member } = await identity.team('member');
    const middle = new Date().toISOString();
    await identity.changeUser(owner, member.userId, { name: 'Another' });
    const ofSubject = ['user.renamed', 'sign_in.succeeded', 'user.added'];
    expect(await actionsOf(owner, `&actor=${member.userId}`)).toEqual(['sign_in.succeeded']);
    expect(await actionsOf(owner, `&subject=${member.userId}`)).toEqual(ofSubject);
    expect(await actionsOf(owner, '&outcome=failure')).toEqual([]);
    expect(await actionsOf(owner, `&from=${middle}`)).toEqual(['user.renamed']);
    expect(await actionsOf(owner, `&to=${middle}`)).not.toContain('user.renamed');
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

  it('is shown to no other workspace', async () => {
    const { owner, member } = await identity.team('member');
    const stranger = await identity.account();
    expect(await auditOf(identity, stranger, `&subject=${member.userId}`)).toEqual([]);
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
    const { tenantId } = owner;
    const update = "UPDATE audit_entry SET action = 'a.b'";
    for (const statement of [update, 'DELETE FROM audit_entry', 'TRUNCATE audit_entry']) {
      await expect(identity.query(tenantId, statement)).rejects.toThrow('permission denied');
    }
    await expect(identity.queryAll(update)).rejects.toThrow('permission denied');
    // Not even in the context of the tenant does the role that sweeps reach young ones.
    await identity.get(Database).crossTenant(async (tx) => {
      await tx.query("SELECT set_config('app.tenant_id', $1, true)", [tenantId]);
      await tx.query('DELETE FROM audit_entry');
    });
    expect((await auditOf(identity, owner)).length).toBeGreaterThan(0);
  });

  it('are removed when their retention is over', async () => {
    const owner = await identity.account();
    const daysAgo = (days: number) => newIdOf(Date.now() - days * 86_400_000);
    const [old, kept] = [daysAgo(401), daysAgo(399)];
    await record(
      owner.tenantId,
      [old, kept].map((id) => ({ action: 'user.renamed', id })),
    );
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
    const indices = Array.from({ length: 1_203 }, (_, index) => index);
    await record(
      owner.tenantId,
      indices.map((index) => ({ action: 'user.renamed', detail: { index } })),
    );
    const { text: lines, headers } = await text(owner, `${range()}&action=user.renamed`);
    expect(headers.get('content-type')).toContain('application/x-ndjson');
    expect(headers.get('content-disposition')).toBe('attachment; filename="audit.ndjson"');
    const entries = lines.trimEnd().split('\n');
    expect(entries.map((line) => JSON.parse(line).detail.index)).toEqual(indices);
    expect((await entryOf(identity, owner, 'audit.exported')).detail).toMatchObject({ format: 'ndjson' });
  });

  it('is CSV whose cells are no formulas', async () => {
    const { owner, member } = await identity.team('member');
    await identity.changeUser(owner, member.userId, { name: '=HYPERLINK("https://evil.test","x")' });
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
